/** The bounds for grants: if the limit is paused or rejecting, no lease fits; in shadow mode, every lease fits. */
export const bounds = `
      alone_ := CASE WHEN l.operated & 3 > 0 OR l.operated & 4 = 0 AND l.paused > 0 THEN -1 ELSE 0 END;
      bound_ := CASE WHEN alone_ < 0 THEN -1 WHEN l.operated & 4 > 0 THEN 1000000000000000 ELSE l.most END;
`;

/** Longest pause in microseconds: an hour. */
export const MAX_PAUSE = 3_600_000_000;

/**
 * The effect of each verb: a part of the function in `lease.sql.ts`, whose variables it uses. Each verb sets the state,
 * and the token or the place.
 */
export function operations(schema: string, words: number): string {
  return `
      at_ := (turn_ - 1) * ${words};
      verb_ := ops_[at_ + 1];
      id_ := ops_[at_ + 2];
      weight_ := ops_[at_ + 3];
      spare_ := ops_[at_ + 4];
      reserves_ := ops_[at_ + 5] = '1';
      wait_ := ops_[at_ + 6];
      where_ := ops_[at_ + 7];
      fencing_ := NULLIF(ops_[at_ + 8], '');
      -- The release before called it \`setLimit\`.
      state_ := CASE WHEN verb_ IN ('declare', 'setLimit', 'operated') THEN 'ok' ELSE 'lost' END;
      extra_ := NULL;
      l.reserving := l.reserving OR reserves_;
      SELECT * INTO r FROM ${schema}.leases AS t WHERE t.limit_id = l.id AND t.id = id_;
      known_ := FOUND;

      IF verb_ = 'release' AND known_ THEN
        DELETE FROM ${schema}.leases AS t WHERE t.limit_id = l.id AND t.id = id_;
        IF r.place IS NULL THEN l.inflight := l.inflight - r.weight; ELSE l.queued := l.queued - 1; END IF;
        state_ := 'ok';
        may_fit_ := true;

      ELSIF known_ AND (r.place IS NULL AND verb_ <> 'release' OR verb_ IN ('acquire', 'stay')) THEN
        IF verb_ IN ('acquire', 'stay') THEN
          -- Its weight does not change.
          weight_ := r.weight;
        ELSE
          l.inflight := l.inflight + weight_ - r.weight;
          may_fit_ := may_fit_ OR weight_ < r.weight;
        END IF;
        IF verb_ <> 'resize' THEN
          r.ends := now_ + term_;
          r.expires := CASE WHEN r.place IS NULL THEN r.ends ELSE now_ + LEAST(term_, wait_) END;
          l.soonest := LEAST(l.soonest, r.expires);
        END IF;
        UPDATE ${schema}.leases AS t
        SET weight = weight_, ends = r.ends, expires = r.expires, spare = spare_, reserves = reserves_
        WHERE t.limit_id = l.id AND t.id = id_;
        state_ := CASE WHEN r.place IS NULL THEN 'held' ELSE 'queued' END;
        extra_ := COALESCE(r.place, r.fencing);
        recall_ := recall_ OR verb_ = 'stay' AND r.place IS NOT NULL;

      ELSIF verb_ = 'register' OR verb_ = 'renew' AND (fencing_ < l.born OR fencing_ > l.token)
        OR verb_ = 'acquire' AND l.queued = 0 AND (l.inflight = alone_ OR l.inflight + weight_ <= bound_)
      THEN
        -- The token was issued by an earlier state that was lost, or lies ahead of a state that was rolled back: hold
        -- it again.
        IF known_ THEN
          DELETE FROM ${schema}.leases AS t WHERE t.limit_id = l.id AND t.id = id_;
          l.queued := l.queued - 1;
          may_fit_ := true;
        END IF;
        extra_ := CASE WHEN verb_ = 'acquire' OR fencing_ IS NULL THEN GREATEST(l.token + 1, now_) ELSE fencing_ END;
        l.token := GREATEST(l.token, extra_ + spare_);
        INSERT INTO ${schema}.leases (limit_id, id, weight, ends, expires, fencing, spare, reserves)
        VALUES (l.id, id_, weight_, now_ + term_, now_ + term_, extra_, spare_, reserves_);
        l.inflight := l.inflight + weight_;
        l.soonest := LEAST(l.soonest, now_ + term_);
        state_ := 'held';

      ELSIF verb_ = 'acquire' AND (wait_ <= 0 OR l.queued >= where_::bigint OR l.operated & 3 = 2) THEN
        state_ := 'full';

      ELSIF verb_ IN ('acquire', 'stay') THEN
        extra_ := CASE WHEN verb_ = 'stay' AND where_ <> '' THEN where_::bigint ELSE GREATEST(now_, l.tail + 1) END;
        l.tail := GREATEST(l.tail, extra_);
        INSERT INTO ${schema}.leases (limit_id, id, weight, ends, expires, place, spare, reserves)
        VALUES (l.id, id_, weight_, now_ + term_, now_ + LEAST(term_, wait_), extra_, spare_, reserves_);
        l.queued := l.queued + 1;
        l.soonest := LEAST(l.soonest, now_ + LEAST(term_, wait_));
        recall_ := recall_ OR l.queued = 1;
        may_fit_ := verb_ = 'stay' OR may_fit_;
        state_ := 'queued';

      ELSIF verb_ = 'operated' THEN
        -- What the process knows of how the limit is operated.
        IF (fencing_ << 3 | where_::bigint) > l.operated THEN
          l.operated := fencing_ << 3 | where_::bigint;
          l.paused := 0;
          may_fit_ := true;
${bounds}
        END IF;

      ELSIF verb_ = 'declare' THEN
        -- The latest change, even if it makes no difference: the state may be older than what other processes know.
        IF where_ <> '' OR fencing_ IS NOT NULL THEN
          l.operated := GREATEST(now_, (l.operated >> 3) + 1) << 3
            | COALESCE(NULLIF(where_, '')::bigint, l.operated & 3) | COALESCE(fencing_, l.operated & 4);
          l.paused := 0;
        END IF;
        IF wait_ <> 0 THEN
          l.paused := CASE WHEN wait_ > 0 THEN GREATEST(l.paused, now_ + LEAST(wait_, ${MAX_PAUSE})) ELSE 0 END;
          paused_ := true;
        END IF;
        may_fit_ := true;
${bounds}
      END IF;
`;
}
