import { verbs } from './verbs.lua.ts';

/**
 * All operations on one limit. The sorted set has, by score:
 *
 * - at -1 one member with what is known of the limit, so that a single read at rank 0 and 1 says whether anything has
 *   expired; packed, below the 64 bytes up to which Redis keeps a small set in one piece: an `m`, then as doubles the limit,
 *   its version, the last fencing token, the weight held, how many wait, the longest lease, and when the set was made (tokens
 *   below that are of a state that was lost), then `1` where anybody has ever held in reserve;
 * - `h<id>:<weight>:<reserves>` for each holder at the millisecond at which its lease ends;
 * - `x<waiter>` for each waiter at 1e14 and 256 times the millisecond at which it is no longer let in; what its lease would
 *   outlast that by, since it may not wait for so long, is added in 255ths of the lease;
 * - `w<waiter>` for each waiter at its place, in microseconds: above 1e15.
 *
 * A waiter is written `<id>:<weight>:<lease>:<spare>:<reserves>`: all that a grant needs to know.
 *
 * ARGV, as `calls.ts` writes it: limit, version (empty to declare it now), lease, owner, prefix, what a recall says, `1` where
 * it must not fail; then for each operation its verb, id, weight, `<lease>:<spare>:<reserves>`, wait, queueLimit or
 * place, and fencing token. The answer, as `calls.ts` reads it, is lines: limit, version, milliseconds until the next lease
 * ends where anybody waits, leases reclaimed; for each operation its state, its token or place, inflight, queued; then the
 * id and token of each of this owner's that was let in besides.
 *
 * Scripts do not roll back, and Redis refuses what may take memory only as a script's first write. So what must not
 * fail for want of memory writes something else first, and messages, which may fail, come last.
 */
export const leaseScript = `
local key, limitArg, versionArg, term, me, channel, about, mayNotFail =
  KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local call, match, format = redis.call, string.match, string.format

local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local expires = format('%.0f', now + term)

local limit, version, last, inflight, queued, longest, born, reserving
-- Loose: perhaps somebody fits by now who waits.
local loose, recall, reclaimed = false, false, 0

local top = call('ZRANGE', key, 0, 1, 'WITHSCORES')
local old = top[1]
if old then
  if #old ~= 58 or top[2] ~= '-1' then
    return redis.error_reply('WRONGTYPE the key holds a sorted set of somebody else')
  end
  limit, version, last, inflight, queued, longest, born, reserving = struct.unpack('<dddddddc1', old, 2)
  if versionArg == nil and limitArg ~= limit then
    limit, version, loose = limitArg, math.max(now, version + 1), true
  elseif versionArg ~= nil and versionArg > version then
    limit, version, loose = limitArg, versionArg, true
  end
else
  limit, version, last, inflight = limitArg, versionArg or now, micros, 0
  queued, longest, born, reserving = 0, term, micros, '0'
end
longest = math.max(longest, term)
local lifetime = format('%.0f', 2 * longest)
local hasExpired = top[4] and tonumber(top[4]) <= now

-- The quick way, which most go: one takes or gives back where nobody waits.
if old and #ARGV == 14 and queued == 0 and not loose and not hasExpired then
  local verb, weight, tail = ARGV[8], ARGV[10], ARGV[11]
  local reserves = string.sub(tail, -1)
  local holder = 'h' .. ARGV[9] .. ':' .. weight .. ':' .. reserves
  local given, isDone = '', false
  if verb == 'acquire' and (inflight == 0 or inflight + weight <= limit) then
    local token = math.max(last + 1, micros)
    local mark = reserves == '1' and reserves or reserving
    local new = struct.pack('<c1dddddddc1', 'm', limit, version, token + match(tail, ':(%d+):'),
      inflight + weight, 0, longest, born, mark)
    isDone = call('ZADD', key, expires, holder, -1, new) == 2
    call('ZREM', key, old)
    old = new
    -- Where it was held already, the count is put right below.
    if isDone then
      inflight, given = inflight + weight, format('%.0f', token)
    end
  elseif verb == 'release' and call('ZREM', key, holder) == 1 then
    isDone = true
    inflight = inflight - weight
    call('ZREM', key, old)
    call('ZADD', key, -1,
      struct.pack('<c1dddddddc1', 'm', limit, version, last, inflight, 0, longest, born, reserving))
  end
  if isDone then
    call('PEXPIRE', key, lifetime)
    return format('%.0f\\n%.0f\\n\\n0\\n%s\\n%s\\n%.0f\\n0',
      limit, version, verb == 'acquire' and 'held' or 'ok', given, inflight)
  end
end

local function int(n) return format('%.0f', n) end

if old and mayNotFail == '1' then call('PEXPIRE', key, lifetime) end

if hasExpired then
  for _, dead in ipairs(call('ZRANGEBYSCORE', key, 0, int(now))) do
    inflight = inflight - match(dead, ':(%d+):%d$')
    reclaimed = reclaimed + 1
  end
  call('ZREMRANGEBYSCORE', key, 0, int(now))
  loose = true
end
if queued > 0 then
  for _, dead in ipairs(call('ZRANGEBYSCORE', key, '1e14', '(' .. int(1e14 + (now + 1) * 256))) do
    call('ZREM', key, dead, 'w' .. string.sub(dead, 2))
    queued = queued - 1
    loose = true
  end
end

local function fits(weight) return inflight == 0 or inflight + weight <= limit end

local function token(spare)
  local given = math.max(last + 1, micros)
  last = given + spare
  return int(given)
end

local granted, order = {}, {}
local function letIn()
  loose = false
  while queued > 0 and fits(1) do
    local head = call('ZRANGEBYSCORE', key, '1e15', '+inf', 'LIMIT', 0, 1)[1]
    if not head then
      queued = 0
      return
    end
    local id, weight, lease, spare, reserves = match(head, '^w(.*):(%d+):(%d+):(%d+):(%d)$')
    if not fits(weight) then return end
    local pulse = 'x' .. string.sub(head, 2)
    local pulsed = tonumber(call('ZSCORE', key, pulse)) - 1e14
    -- A lease after its process was last heard of: it may have died since, in the line.
    local ends = math.floor(pulsed / 256) + math.ceil(pulsed % 256 / 255 * lease)
    call('ZREM', key, head, pulse)
    call('ZADD', key, int(ends), 'h' .. id .. ':' .. weight .. ':' .. reserves)
    inflight, queued = inflight + weight, queued - 1
    granted[id] = token(spare)
    order[#order + 1] = id
  end
end
${verbs}
local reply = { '', '', '', '' }
for i = 8, #ARGV, 7 do
  local id, weight, tail = ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local one = id .. ':' .. weight
  local spare, reserves = match(tail, ':(%d+):(%d)$')
  if reserves == '1' then reserving = '1' end
  if loose then letIn() end
  local state, extra = act[ARGV[i]](id, weight, spare,
    'h' .. one .. ':' .. reserves, one .. ':' .. tail, ARGV[i + 4], ARGV[i + 5], ARGV[i + 6])
  if loose then letIn() end
  if state == 'queued' and granted[id] then
    state, extra = 'held', granted[id]
    granted[id] = nil
  end
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = state, extra, int(inflight), int(queued)
end

local new = struct.pack('<c1dddddddc1', 'm',
  limit, version, last, inflight, queued, longest, born, reserving)
if new ~= old then
  -- With nobody there it is not worth a failure.
  local write = (old or inflight + queued > 0) and call or redis.pcall
  write('ZADD', key, -1, new)
  if old then call('ZREM', key, old) end
end
if not old or mayNotFail ~= '1' then call('PEXPIRE', key, lifetime) end

if queued > 0 then
  reply[3] = int(tonumber(call('ZRANGE', key, 1, 1, 'WITHSCORES')[2]) - now)
end
reply[1], reply[2], reply[4] = int(limit), int(version), reclaimed

local messages = {}
for _, id in ipairs(order) do
  local owner = match(id, '^[^.]*')
  if granted[id] and owner == me then
    reply[#reply + 1] = id
    reply[#reply + 1] = granted[id]
  elseif granted[id] then
    messages[owner] = (messages[owner] or 'grant') .. '\\n' .. id .. '\\n' .. granted[id]
  end
end
for owner, message in pairs(messages) do redis.pcall('PUBLISH', channel .. owner, message) end

if recall and reserving == '1' and queued > 0 then
  local told = { [me] = true }
  for _, held in ipairs(call('ZRANGEBYSCORE', key, 0, '(1e14')) do
    local owner, reserves = match(held, '^h([^.]*).*:(%d)$')
    if reserves == '1' and not told[owner] then
      redis.pcall('PUBLISH', channel .. owner, about)
      told[owner] = true
    end
  end
end
return table.concat(reply, '\\n')
`;
