/** The fields of `StoreActivity` that are recorded as they change. The others are read when `activity()` is called. */
export class StoreCounters {
  muted = false;
  slowed = false;
  calls = 0;
  errors = 0;
  reclaimed = 0;
  lost = 0;
}
