/** Removes expired leases. Returns their weight and number, and when the next lease ends. */
const expireLeases = `
local function expireLeases(key, now)
  local weight, ended = 0, redis.call('ZRANGEBYSCORE', key, '0', now)
  for _, holder in ipairs(ended) do weight = weight + string.match(holder, '^h(%d+)') end
  redis.call('ZREMRANGEBYSCORE', key, '0', now)
  return weight, #ended, tonumber(redis.call('ZRANGE', key, '1', '1', 'WITHSCORES')[2] or '1e14')
end
`;

/** Removes expired waiters. Returns their number, and a time before which no other waiter times out. */
const expireWaiters = `
local function expireWaiters(key, now)
  local ended = redis.call('ZRANGEBYSCORE', key, '1e14', string.format('(%d', 1e14 + (now + 1) * 256))
  for _, pulse in ipairs(ended) do redis.call('ZREM', key, pulse, 'w' .. string.sub(pulse, 2)) end
  local first = redis.call('ZRANGEBYSCORE', key, '1e14', '(9e14', 'WITHSCORES', 'LIMIT', '0', '1')[2]
  return #ended, first and math.floor((first - 1e14) / 256) or 0
end
`;

/** Lowers higher scores of this range. Only a clock that was set back leaves any. */
const clamp = `
local function clamp(key, highest, below)
  local score = string.format('%d', highest)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. score, below)) do
    redis.call('ZADD', key, 'XX', score, member)
  end
end
`;

/**
 * Finds the member with this holder's id. Returns it and its weight. Members begin with the weight, which may have
 * changed.
 */
const search = `
local function search(key, from, to, pattern, holder)
  local id = string.match(holder, '^h%d+:%d:(.*)$')
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, from, to)) do
    local weight, found = string.match(member, pattern)
    if found == id then return member, weight end
  end
end
`;

/** Adds a waiter, or extends its wait if it has a place; returns when it times out. */
const enqueue = `
local function enqueue(key, waiter, newPlace, wait, now, term)
  local left = math.min(term, wait)
  local pulse = string.format('%d', 1e14 + (now + left) * 256 + math.ceil((term - left) / term * 255))
  if newPlace then redis.call('ZADD', key, pulse, 'x' .. string.sub(waiter, 2), newPlace, waiter)
  else redis.call('ZADD', key, pulse, 'x' .. string.sub(waiter, 2)) end
  return now + left
end
`;

/** Grants permits to the first waiters that fit. Adds the pending writes and messages to `grants`. */
const grant = `
local function grant(key, limit, inflight, queued, lastToken, nextEnd, micros, grants, reply, isLast)
  local format, match, sub, floor, ceil = string.format, string.match, string.sub, math.floor, math.ceil
  while queued > 0 and (inflight == 0 or inflight < limit) do
    -- In batches, as Lua limits the number of arguments.
    local most = format('%d', math.max(1, math.min(limit - inflight, 100)))
    local waiters = redis.call('ZRANGEBYSCORE', key, '1e15', '+inf', 'LIMIT', '0', most)
    -- Only if another program has removed members.
    if not waiters[1] then
      queued = 0
      break
    end
    local pulses = {}
    for at, waiter in ipairs(waiters) do pulses[at] = 'x' .. sub(waiter, 2) end
    local scores = redis.call('ZMSCORE', key, unpack(pulses))
    local added, removed, isFull = grants.added, grants.removed, false
    for at, waiter in ipairs(waiters) do
      local weight, lease, spare, reserves, id, owner = match(waiter, '^w(%d+):(%d+):(%d+):(%d):(([^.]*).*)$')
      isFull = inflight > 0 and inflight + weight > limit
      if isFull then break end
      -- One lease after the last renewal: the process may have died since.
      local pulsed = scores[at] - 1e14
      local ends = floor(pulsed / 256) + ceil(pulsed % 256 / 255 * lease)
      if ends < nextEnd then nextEnd = ends end
      local a, r = #added, #removed
      added[a + 1], added[a + 2] = format('%d', ends), 'h' .. weight .. ':' .. reserves .. ':' .. id
      removed[r + 1], removed[r + 2] = waiter, pulses[at]
      inflight, queued = inflight + weight, queued - 1
      lastToken = lastToken < micros and micros or lastToken + 1
      local token, told, messages = format('%d', lastToken), grants.replyAt[waiter], grants.messages[owner]
      lastToken = lastToken + spare
      if told then reply[told], reply[told + 1] = 'held', token
      elseif messages then messages[#messages + 1] = id .. '\\n' .. token
      else grants.messages[owner] = { id .. '\\n' .. token } end
    end
    -- Before the queue or set is read again, grants must be written.
    if added[1] and (not isFull and queued > 0 or not isLast) then
      redis.call('ZADD', key, unpack(added))
      redis.call('ZREM', key, unpack(removed))
      grants.added, grants.removed = {}, {}
    end
    if isFull then break end
  end
  return inflight, queued, lastToken, nextEnd
end
`;

/** Messages the other processes that hold reserves. The answer tells the caller that others are waiting. */
const recallReserves = `
local function recallReserves(key, caller, prefix, message)
  local told = { [caller] = true }
  for _, holder in ipairs(redis.call('ZRANGEBYSCORE', key, '0', '(1e14')) do
    local reserves, owner = string.match(holder, '^h%d+:(%d):([^.]*)')
    if reserves == '1' and not told[owner] then
      redis.pcall('PUBLISH', prefix .. owner, message)
      told[owner] = true
    end
  end
end
`;

/** Returns how the limit is operated, since when, and when its pause ends. Ignores unknown codes. */
const readOperated = `
local function readOperated(key)
  local found = redis.call('ZRANGEBYSCORE', key, '9e14', '(1e15', 'WITHSCORES')
  local operated, operatedAt, pausedUntil = 0, 0, 0
  for at = 1, #found, 2 do
    local code, score = string.match(found[at], '^o([012456])$'), found[at + 1] - 9e14
    if code then operated, operatedAt = tonumber(code), score end
    if found[at] == 'p' then pausedUntil = score end
  end
  return operated, operatedAt, pausedUntil
end
`;

/**
 * Adopts the state that the caller knows, if it is newer. Returns the latest state, and whether the caller's was newer.
 */
const latestOperated = `
local function latestOperated(known, operated, operatedAt)
  local code, at = string.match(known, '^([012456]) (%d+)$')
  code, at = tonumber(code or '0'), tonumber(at or '0')
  if at > operatedAt or at == operatedAt and code > operated then return code, at, true end
  return operated, operatedAt, false
end
`;

/** Removes a pause, too. */
const writeOperated = `
local function writeOperated(key, code, at)
  redis.call('ZREMRANGEBYSCORE', key, '9e14', '(1e15')
  redis.call('ZADD', key, string.format('%d', 9e14 + at), 'o' .. code)
end
`;

/** Whether a pause has not ended. One of more than an hour is that of a clock that was set back. */
const isAhead = `
local function isAhead(pausedUntil, now)
  return pausedUntil > now and pausedUntil <= now + 3600000
end
`;

const writePause = `
local function writePause(key, pausedUntil)
  if pausedUntil == 0 then redis.call('ZREM', key, 'p')
  else redis.call('ZADD', key, string.format('%d', 9e14 + pausedUntil), 'p') end
end
`;

/** The bounds for grants: if the limit is paused or rejecting, no lease fits; in shadow mode, every lease fits. */
const bounds = `
local function bounds(operated, limit, pausedUntil)
  if operated % 4 > 0 or operated == 0 and pausedUntil > 0 then return -1, -1 end
  return operated >= 4 and 1e15 or limit, 0
end
`;

/** Messages the other processes with held or queued leases. */
const tellOwners = `
local function tellOwners(key, caller, prefix, message)
  local told = { [caller] = true }
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, '0', '(9e14')) do
    local owner = string.match(member, '^h%d+:%d:([^.]*)') or string.match(member, '^x%d+:%d+:%d+:%d:([^.]*)')
    if owner and not told[owner] then
      redis.pcall('PUBLISH', prefix .. owner, message)
      told[owner] = true
    end
  end
end
`;

/**
 * Returns the new version of the limit and the last two declared numbers, packed, if the process's limit applies from
 * now on. The highest version wins; if two keys were given different limits with the same version, the lower limit
 * wins. A number that was declared before does not replace a limit that was set. If the store has lost a set limit, and
 * a starting process has declared such a number, the set limit is restored.
 */
const declare = `
local function declare(known, limitArg, numbersArg, limit, version, numbers, now, born)
  local own, ownBefore = string.match(numbersArg, '^(%d+) (%d+)$')
  own, ownBefore = tonumber(own), tonumber(ownBefore)
  local latest, before = struct.unpack('<I5I5', numbers)
  local first, at, isSet = math.floor(born / 1000), tonumber(known), limit ~= latest
  -- Above the version of a limit that was declared when the set was created.
  local later = math.max(now, version + 1, first + 1)
  if at then
    local isLater = at > version or at == version and limitArg < limit
    local isLost = at > 0 and not isSet and version == first and limitArg ~= own
      and (own == latest or ownBefore == latest)
    if not isLater and not isLost then return end
    return isLater and at or later, struct.pack('<I5I5', own, ownBefore)
  end
  if known == 'set' then
    if limitArg == limit and (own == 0 or own == latest) then return end
  elseif limitArg == latest or isSet and limitArg == before then return end
  if own == 0 or own == latest then return later, numbers end
  return later, struct.pack('<I5I5', own, latest)
end
`;

/**
 * The steps of `lease.lua.ts` that not every call takes, as functions. A function is created with every run, which is
 * cheap only if it captures no variable: it takes what it needs as arguments, and returns what has changed.
 */
export const steps = [
  ...[expireLeases, expireWaiters, clamp, search, enqueue, grant, recallReserves],
  ...[
    declare,
    readOperated,
    latestOperated,
    writeOperated,
    isAhead,
    writePause,
    bounds,
    tellOwners,
  ],
].join('');
