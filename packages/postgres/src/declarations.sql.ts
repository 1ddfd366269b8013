/**
 * Declares or sets the limit, or adopts the limit that the process knows. A part of the function in `lease.sql.ts`,
 * whose variables it uses. The highest version wins. If two keys were given different limits with the same version, the
 * lower limit wins. A number that was declared before does not replace a limit that was set. If the store has lost a
 * set limit and a starting process has then declared such a number, the set limit is restored.
 */
export const declarations = `
  -- Above the version of a limit that was declared when the row was created.
  later_ := GREATEST(now_, l.version + 1, l.born + 1);
  later_ := CASE
    WHEN version_ IS NULL THEN
      CASE WHEN most_ = l.declared OR l.most <> l.declared AND most_ = l.declared_before THEN NULL ELSE later_ END
    WHEN version_ = -1 THEN CASE WHEN most_ <> l.most OR declared_ NOT IN (0, l.declared) THEN later_ END
    WHEN version_ > l.version OR version_ = l.version AND most_ < l.most THEN version_
    WHEN version_ > 0 AND l.version = l.born AND l.most = l.declared AND most_ <> declared_
      AND l.declared IN (declared_, before_) THEN later_
  END;
  IF later_ IS NOT NULL THEN
    l.most := most_;
    l.version := later_;
    may_fit_ := true;
    IF version_ >= 0 THEN
      l.declared := declared_;
      l.declared_before := before_;
    ELSIF declared_ NOT IN (0, l.declared) THEN
      l.declared_before := l.declared;
      l.declared := declared_;
    END IF;
  END IF;`;
