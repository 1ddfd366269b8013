import { now } from './schema.ts';

/**
 * One takes or gives back where nobody waits and nothing has expired: what most operations are. The UPDATE locks the
 * limit's row, and looks again at what it says where it had to wait for that. Whatever else it finds is left to
 * `lease()`, which has the same parameters and answers the same.
 */
export function quickFunction(schema: string): string {
  const usual = `t.address = address_ AND t.queued = 0 AND t.reclaimed = 0 AND t.soonest > ${now} AND t.longest >= term_
      AND (version_ <= t.version OR version_ IS NULL AND t.most = most_)`;
  return `
CREATE OR REPLACE FUNCTION ${schema}.quick(
  address_ text, label_ text, most_ bigint, version_ bigint, term_ bigint, me_ text, ops_ text[]
) RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  weight_ bigint := ops_[3];
  spare_ bigint := ops_[4];
  key_ bigint;
  limit_ bigint;
  applies_ bigint;
  token_ bigint;
  inflight_ bigint;
  ends_ bigint;
BEGIN
  IF ops_[1] = 'acquire' THEN
    UPDATE ${schema}.limits AS t SET
      inflight = t.inflight + weight_,
      token = GREATEST(t.token + 1, ${now}) + spare_,
      soonest = LEAST(t.soonest, ${now} + term_),
      touched = ${now}
    WHERE ${usual} AND (t.inflight = 0 OR t.inflight + weight_ <= t.most) AND (t.reserving OR ops_[5] = '0')
    RETURNING t.id, t.most, t.version, t.token, t.inflight, ${now} + term_
    INTO key_, limit_, applies_, token_, inflight_, ends_;
    IF key_ IS NOT NULL THEN
      INSERT INTO ${schema}.leases (limit_id, id, weight, ends, expires, fencing, spare, reserves)
      VALUES (key_, ops_[2], weight_, ends_, ends_, token_ - spare_, spare_, ops_[5] = '1')
      ON CONFLICT DO NOTHING;
      IF FOUND THEN
        RETURN limit_ || E'\\n' || applies_ || E'\\n\\n0\\n\\nheld\\n' || token_ - spare_ || E'\\n' || inflight_ || E'\\n0';
      END IF;
      -- It is there already.
      UPDATE ${schema}.limits AS t SET inflight = t.inflight - weight_ WHERE t.address = address_;
    END IF;
  ELSE
    UPDATE ${schema}.limits AS t SET inflight = t.inflight - weight_, touched = ${now}
    WHERE ${usual} AND t.inflight >= weight_
    RETURNING t.id, t.most, t.version, t.inflight INTO key_, limit_, applies_, inflight_;
    IF key_ IS NOT NULL THEN
      DELETE FROM ${schema}.leases AS t WHERE t.limit_id = key_ AND t.id = ops_[2] AND t.weight = weight_;
      IF FOUND THEN
        RETURN limit_ || E'\\n' || applies_ || E'\\n\\n0\\n\\nok\\n\\n' || inflight_ || E'\\n0';
      END IF;
      UPDATE ${schema}.limits AS t SET inflight = t.inflight + weight_ WHERE t.address = address_;
    END IF;
  END IF;
  RETURN ${schema}.lease(address_, label_, most_, version_, term_, me_, ops_);
END
$body$;
`;
}
