import { steps } from './steps.lua.ts';

/**
 * All operations on one limit. The limit is a sorted set, whose members have these scores:
 *
 * - one member at -1, the head, with the state of the limit, so that one read of ranks 0 and 1 returns the state and
 *   whether a lease has expired. It is packed by `layout` into 64 bytes, above which Redis stores a small set in a larger
 *   form: `m`, plus 1 if permits were ever held in reserve, plus 2 if the limit was ever operated or is paused; limit, version, the
 *   last two numbers that were declared (0: none), last token, weight held, number of waiters, last place in the queue,
 *   a time before which no waiter times out (divided by 16), longest lease, and creation time of the set (lower tokens
 *   are of a lost state);
 * - `o<code>` if the limit was ever operated, with the code of `operatedCode`, at 9e14 plus the millisecond of that;
 * - `p` if the limit was paused since then, at 9e14 plus the millisecond at which the pause ends;
 * - `h<weight>:<reserves>:<id>` for each holder, at the millisecond at which its lease ends;
 * - `x<waiter>` for each waiter, at its pulse: 1e14, plus 256 times the millisecond from which it is not granted a
 *   permit any more, plus how much later its lease would end, in 255ths of the lease;
 * - `w<waiter>` for each waiter, at its place: the microsecond of its arrival, above 1e15.
 *
 * A waiter is encoded as `<weight>:<lease>:<spare>:<reserves>:<id>`, which is all that a grant needs.
 *
 * `calls.ts` creates the arguments. An empty version declares the limit now, and `set` sets it. `calls.ts` also parses
 * the answer, which consists of lines: limit, version, milliseconds until the next lease may end (if there are
 * waiters), number of expired leases, inflight, queued, the last two numbers that were declared (unless the caller
 * knows this version); for each operation its state, and its token or place (in shadow mode the token and the weight
 * held then); then id and token of each permit granted to another waiter of this owner; and finally, if the limit was
 * ever operated or is paused, the code of that, its millisecond, and for how many the limit is paused. A change of an operator is the latest one even if it makes no
 * difference: the state may be older than what other processes know.
 *
 * Permits are granted to waiters once, after all operations, unless an operation's result depends on them: then the
 * loop stops before that operation and starts again there. An operation that enqueues its lease need not, since its
 * answer can still say that the lease was granted.
 *
 * Scripts are not rolled back, and Redis rejects commands that may use memory only at a script's first write. So a call
 * that must not fail for lack of memory writes something else first, and messages, which may fail, are last. The set is
 * never empty in between, because a cluster may redirect calls for a missing key to another node.
 *
 * Every request waits for this script, and Redis runs one script at a time: so what each call does is written out, and
 * only the other steps are functions (ADR 0015).
 */
export const leaseScript = `${steps}
local layout = '<I1I5I6c10I7I7I4I7I5I5I7'

local key, args, call, format, max = KEYS[1], ARGV, redis.call, string.format, math.max
local limitArg, versionArg, term = tonumber(args[1]), tonumber(args[2]), tonumber(args[3])
local caller, prefix, about = args[4], args[5], args[6]
local mustNotFail, isReserving, isSearching = args[7] == '1', args[8] == '1', args[9] == '1'
local knownOperated, numbersArg, i, last = args[10], args[11], 12, #args

local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local ends = now + term
local expires = format('%d', ends)

local mark, limit, version, numbers, lastToken, inflight, queued, lastPlace, nextTimeout, longest, born, reserving
-- Whether a waiter may fit now; whether to recall reserves.
local mayFit, recall, reclaimed = false, false, '0'
-- How the limit is operated, since when, and whether that has changed.
local operated, operatedAt, isOperated = 0, 0, false
-- When the pause ends, if there is one, and whether that has changed.
local pausedUntil, isPaused = 0, false

local top = call('ZRANGE', key, '0', '1', 'WITHSCORES')
local old = top[1]
if old then
  if #old == 64 and top[2] == '-1' then
    mark, limit, version, numbers, lastToken, inflight, queued, lastPlace, nextTimeout, longest, born =
      struct.unpack(layout, old)
    reserving, nextTimeout = mark - 109, nextTimeout * 16
  end
  if not reserving or reserving < 0 or reserving > 3 then
    return redis.error_reply('WRONGTYPE the key holds a sorted set of another app')
  end
  if versionArg ~= version or limitArg ~= limit then
    local later, changed = declare(args[2], limitArg, numbersArg, limit, version, numbers, now, born)
    if later then limit, version, numbers, mayFit = limitArg, later, changed, true end
  end
  if term > longest then longest = term end
  if reserving > 1 then reserving, operated, operatedAt, pausedUntil = reserving - 2, readOperated(key) end
  if pausedUntil > 0 and not isAhead(pausedUntil, now) then pausedUntil, mayFit = 0, true end
else
  -- Later than a declaration, if it is set, so that no process restores what it replaces.
  limit, version = limitArg, versionArg or args[2] == 'set' and now + 1 or now
  numbers = struct.pack('<I5I5', string.match(numbersArg, '^(%d+) (%d+)$'))
  lastToken, inflight, queued = micros, 0, 0
  lastPlace, nextTimeout, longest, born, reserving = 0, 0, term, micros, 0
  -- Without a head, what a script writes before it is rejected halfway would never expire.
  old = struct.pack(layout, 109, limit, version, numbers, lastToken, 0, 0, 0, 0, longest, born)
  -- Only the first write can fail for lack of memory.
  local write = mustNotFail and redis.pcall or call
  write('ZADD', key, '-1', old)
end
if isReserving then reserving = 1 end
if knownOperated ~= '' then
  operated, operatedAt, isOperated = latestOperated(knownOperated, operated, operatedAt)
  if isOperated then mayFit, pausedUntil = true, 0 end
end
-- The weight up to which leases fit, and the weight in flight at which any lease fits.
local bound, alone = limit, 0
if operated > 0 or pausedUntil > 0 then bound, alone = bounds(operated, limit, pausedUntil) end
local lifetime = format('%d', max(2 * longest, pausedUntil - now))
local expiresAlready = (not top[1] or mustNotFail) and call('PEXPIRE', key, lifetime) == 1

-- No lease ends before that; waiters have higher scores.
local nextEnd = tonumber(top[4] or '1e14')
if nextEnd <= now then
  local weight
  weight, reclaimed, nextEnd = expireLeases(key, now)
  -- A script that was rejected halfway wrote leases uncounted.
  inflight, mayFit = max(0, inflight - weight), true
end
-- No lease can end later, and no waiter be granted later, unless the clock was set back.
local latest = now + longest
if queued > 0 and nextTimeout <= now then
  local count
  count, nextTimeout = expireWaiters(key, now)
  queued, mayFit = queued - count, mayFit or count > 0
  clamp(key, latest, '(1e14')
end
if nextEnd > latest and nextEnd < 1e14 then
  clamp(key, latest, '(1e14')
  nextEnd = latest
end
if queued > 0 and nextTimeout > latest then
  clamp(key, 1e14 + latest * 256 + 255, '(9e14')
  nextTimeout = latest
end

-- As long as one operation needs.
local reply, n = { '', '', '', '', '', '', '', '', '' }, 7
-- Arguments of ZADD and ZREM; messages to other owners; for a waiter, the index of its state in the reply.
local grants
repeat
  while i <= last do
    local verb, holder, waiter, weight, size = args[i], args[i + 1], args[i + 2], args[i + 3], 4
    -- place: for an acquire the queueLimit, otherwise the place that it had in the queue.
    local spare, wait, place, fencing
    if verb ~= 'release' and verb ~= 'declare' then
      spare, wait, place, fencing, size = args[i + 4], tonumber(args[i + 5]), args[i + 6], args[i + 7], 8
    end
    local fits = queued == 0 and (inflight == alone or inflight + weight <= bound)
    -- In shadow mode (4), earlier waiters are granted first, since the answer reports the weight held then.
    local joins = verb == 'acquire' and wait > 0 and queued < tonumber(place) and operated ~= 4 and operated % 4 ~= 2
    -- Its new state; its token unless it gets a new one, or its place.
    local state, extra = 'ok'
    -- Frequent cases first: ZADD and ZREM return whether it existed.
    if verb == 'acquire' and fits and call('ZADD', key, expires, holder) == 1 then
      inflight, state = inflight + weight, 'held'
    elseif verb == 'release' and call('ZREM', key, holder) == 1 then
      inflight, mayFit = inflight - weight, true
    -- What the first operation changes of the limit applies before anything is granted.
    elseif mayFit and queued > 0 and not joins and (verb ~= 'declare' or n > 7) then
      break
    elseif verb ~= 'declare' then
      local scores = call('ZMSCORE', key, holder, waiter)
      local isHeld, oldPlace = scores[1], scores[2]
      if isHeld and verb ~= 'resize' then
        call('ZADD', key, 'XX', expires, holder)
        -- A lease granted from the queue has no token here yet; the message with its token may be lost.
        state, extra = 'held', (verb == 'renew' or fencing ~= '') and fencing
      elseif verb == 'acquire' or verb == 'stay' then
        local at = tonumber(oldPlace or verb == 'stay' and place)
        -- Leases that a clock set back has left with a far end would sort behind the new waiter.
        if not oldPlace and queued == 0 then clamp(key, latest, '(1e14') end
        -- An invalid place would change what the score means.
        if not oldPlace and not (at and at >= 1e15 and at < 9e15) then
          at = (joins or verb == 'stay') and max(micros, lastPlace + 1)
        end
        if at then
          state, extra = 'queued', format('%d', at)
          local timeout = enqueue(key, waiter, not oldPlace and extra, wait, now, term)
          nextTimeout = queued > 0 and nextTimeout < timeout and nextTimeout or timeout
          recall = recall or oldPlace or queued == 0
          if not oldPlace then
            queued, lastPlace, mayFit = queued + 1, max(lastPlace, at), mayFit or verb == 'stay'
          end
          grants = grants or { added = {}, removed = {}, messages = {}, replyAt = {} }
          grants.replyAt[waiter] = n + 1
        else
          state = 'full'
        end
      else
        local given, held, was = tonumber(fencing)
        local isForgotten = verb == 'renew' and given and (given < born or given > lastToken)
        local isUncounted = verb == 'register' or isForgotten
        local queuedAs = (isUncounted or verb == 'release') and oldPlace and waiter
        -- Only then, because most of a long queue that timed out has expired before its releases arrive.
        if isSearching and not isUncounted and not queuedAs then
          held, was = search(key, '0', '(1e14', '^h(%d+):%d:(.*)$', holder)
          if verb == 'release' and not held then
            queuedAs = search(key, '1e15', '+inf', '^w(%d+):%d+:%d+:%d:(.*)$', holder)
          end
        end
        if held then
          call('ZREM', key, held)
          inflight, mayFit = inflight - was, true
        elseif queuedAs then
          call('ZREM', key, queuedAs, 'x' .. string.sub(queuedAs, 2))
          queued, mayFit = queued - 1, true
        end
        if verb == 'release' then
          state = (held or queuedAs) and 'ok' or 'lost'
        elseif held or isUncounted then
          -- A lease that was registered with two weights may exist already, and is then counted.
          if call('ZADD', key, expires, holder) == 1 then inflight = inflight + weight end
          state, extra = 'held', (verb == 'resize' or given) and fencing
        else
          state = 'lost'
        end
      end
    elseif holder ~= '' or waiter ~= '' then
      operated = (tonumber(holder) or operated % 4) + (tonumber(waiter) or operated - operated % 4)
      operatedAt, isOperated, mayFit, pausedUntil = max(now, operatedAt + 1), true, true, 0
      bound, alone = bounds(operated, limit, 0)
    elseif weight ~= '-1' then
      pausedUntil = weight == '0' and 0 or max(pausedUntil, now + math.min(weight, 3600000))
      isPaused, mayFit = true, true
      bound, alone = bounds(operated, limit, pausedUntil)
    end

    if state == 'held' then
      if ends < nextEnd then nextEnd = ends end
      if extra then
        lastToken = max(lastToken, (tonumber(extra) or 0) + spare)
      else
        lastToken = max(lastToken + 1, micros)
        extra, lastToken = format('%d', lastToken), lastToken + spare
      end
      if operated == 4 then extra = extra .. ' ' .. format('%d', inflight) end
    end
    reply[n + 1], reply[n + 2] = state, extra or ''
    n, i = n + 2, i + size
  end

  mayFit = false
  if queued > 0 and (inflight == alone or inflight < bound) then
    grants = grants or { added = {}, removed = {}, messages = {}, replyAt = {} }
    inflight, queued, lastToken, nextEnd =
      grant(key, bound, inflight, queued, lastToken, nextEnd, micros, grants, reply, i > last)
  end
until i > last

local new = struct.pack(layout,
  reserving + ((operatedAt > 0 or pausedUntil > 0) and 111 or 109),
  limit, version, numbers, lastToken, inflight, queued, lastPlace, math.floor(nextTimeout / 16), longest, born)
if isOperated then writeOperated(key, operated, operatedAt) end
if isPaused then
  writePause(key, pausedUntil)
  lifetime, expiresAlready = format('%d', max(2 * longest, pausedUntil - now)), false
end
if grants and grants.added[1] then
  local added, removed = grants.added, grants.removed
  local a = #added
  added[a + 1], added[a + 2], removed[#removed + 1] = '-1', new, old
  call('ZADD', key, unpack(added))
  call('ZREM', key, unpack(removed))
elseif new ~= old then
  call('ZADD', key, '-1', new)
  call('ZREM', key, old)
end
if not expiresAlready then call('PEXPIRE', key, lifetime) end

reply[1] = limit == limitArg and args[1] or format('%d', limit)
reply[2] = version == versionArg and args[2] or format('%d', version)
if queued > 0 then reply[3] = format('%d', (pausedUntil > 0 and math.min(nextEnd, pausedUntil) or nextEnd) - now) end
reply[4], reply[5], reply[6] = reclaimed, format('%d', inflight), format('%d', queued)
if version ~= versionArg then reply[7] = format('%d %d', struct.unpack('<I5I5', numbers)) end
if grants then
  for owner, granted in pairs(grants.messages) do
    local news = table.concat(granted, '\\n')
    if owner == caller then reply[n + 1] = news
    else redis.pcall('PUBLISH', prefix .. owner, 'grant\\n' .. news) end
  end
end
if operatedAt > 0 or pausedUntil > 0 then
  reply[#reply + 1] = format('%d %d %d', operated, operatedAt, max(0, pausedUntil - now))
end
if isOperated or isPaused then tellOwners(key, caller, prefix, 'operated\\n' .. about) end
if recall and reserving == 1 and queued > 0 then recallReserves(key, caller, prefix, 'recall\\n' .. about) end
return table.concat(reply, '\\n')
`;
