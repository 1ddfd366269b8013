import { operation } from './operation.lua.ts';

/**
 * All operations on one limit. Its sorted set has, by score:
 *
 * - at -1 one member, the head, with what is known of the limit, so that one read of ranks 0 and 1 tells that and
 *   whether a lease has run out; packed, as `layout` says, into less than the 64 bytes up to which Redis keeps a small
 *   set in one piece;
 * - `h<weight>:<reserves>:<id>` for each holder, at the millisecond at which its lease ends;
 * - `x<waiter>` for each waiter, at its pulse: 1e14, plus 256 times the millisecond from which it is no longer let in,
 *   plus how much later its lease would end, in 255ths of the lease;
 * - `w<waiter>` for each waiter, at its place: the microsecond at which it came, above 1e15.
 *
 * A waiter is written `<weight>:<lease>:<spare>:<reserves>:<id>`: all that a grant needs to know.
 *
 * ARGV, as `calls.ts` writes it: limit, version (empty to declare it now), lease, owner, prefix, what a recall says,
 * `1` where it must not fail, `1` where anybody holds in reserve, `1` where a weight may be another here; then for each
 * operation its verb, its members as a holder and as a waiter, and its weight; but for `release` and `setLimit` also
 * spare, wait, queueLimit or place, and fencing token.
 *
 * The answer, as `calls.ts` reads it, is lines: limit, version, milliseconds before which no lease ends where anybody
 * waits, leases reclaimed, inflight, queued; for each operation its state, and its token or place; then the id and
 * token of each of this owner's that was let in besides.
 *
 * Scripts do not roll back, and Redis refuses what may take memory only as a script's first write. So what must not
 * fail for want of memory writes something else first, and messages, which may fail, come last. The set is never empty
 * in between: in a cluster a key that is not there may be looked for elsewhere.
 *
 * Every request waits for it, and Redis runs one script at a time. What costs, by the count of instructions: each call
 * to Redis, each function that is made, each number that is turned into text or back, least so with '%d', and each
 * score that is read.
 */
export const leaseScript = `
local key, limitArg, versionArg, term = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local me, channel, mustNotFail = ARGV[4], ARGV[5], ARGV[7] == '1'
local call, match, format, sub, max, min, floor, ceil =
  redis.call, string.match, string.format, string.sub, math.max, math.min, math.floor, math.ceil

local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = floor(micros / 1000)
local expires = format('%d', now + term)

-- The head: a letter; the limit, its version, the last token, the weight held, how many wait, the last place in the
-- line, a time before which no waiter's time is over, the longest lease, when the set was made (tokens below that are
-- of a state that was lost), and whether anybody has ever held in reserve.
local layout = '<c1I5I6I7I7I4I7I6I6I7I1'
local mark, limit, version, lastToken, inflight, queued, lastPlace, nextTimeout, longest, born, reserving
-- Whether somebody who waits may fit by now, and whether reserves are to be called back.
local mayFit, recall, reclaimed = false, false, 0

local top = call('ZRANGE', key, '0', '1', 'WITHSCORES')
local old = top[1]
if old then
  if #old == 57 and top[2] == '-1' then
    mark, limit, version, lastToken, inflight, queued, lastPlace, nextTimeout, longest, born, reserving =
      struct.unpack(layout, old)
  end
  if mark ~= 'm' then
    return redis.error_reply('WRONGTYPE the key holds a sorted set of somebody else')
  end
  if versionArg == nil and limitArg ~= limit then
    limit, version, mayFit = limitArg, max(now, version + 1), true
  elseif versionArg ~= nil and versionArg > version then
    limit, version, mayFit = limitArg, versionArg, true
  end
  longest = max(longest, term)
else
  limit, version, lastToken, inflight, queued = limitArg, versionArg or now, micros, 0, 0
  lastPlace, nextTimeout, longest, born, reserving = 0, 0, term, micros, 0
  -- Without it, what a script leaves that is refused halfway would be nobody's, and never expire.
  old = struct.pack(layout, 'm', limit, version, lastToken, 0, 0, 0, 0, longest, born, 0)
  -- Where it must not fail, what comes next opens the way for all other writes.
  local write = mustNotFail and redis.pcall or call
  write('ZADD', key, '-1', old)
end
local lifetime = format('%d', 2 * longest)
local expiresAlready = (not top[1] or mustNotFail) and call('PEXPIRE', key, lifetime) == 1

-- No lease of a holder ends before that; what waits has higher scores.
local nextEnd = tonumber(top[4] or '1e14')
if nextEnd <= now then
  for _, dead in ipairs(call('ZRANGEBYSCORE', key, '0', now)) do
    -- One that a script wrote which was refused halfway has not been counted.
    inflight = max(0, inflight - match(dead, '^h(%d+)'))
    reclaimed = reclaimed + 1
  end
  call('ZREMRANGEBYSCORE', key, '0', now)
  mayFit = true
  nextEnd = tonumber(call('ZRANGE', key, '1', '1', 'WITHSCORES')[2] or '1e14')
end
if queued > 0 and nextTimeout <= now then
  for _, dead in ipairs(call('ZRANGEBYSCORE', key, '1e14', format('(%d', 1e14 + (now + 1) * 256))) do
    call('ZREM', key, dead, 'w' .. sub(dead, 2))
    queued = queued - 1
    mayFit = true
  end
  local pulse = call('ZRANGEBYSCORE', key, '1e14', '(1e15', 'WITHSCORES', 'LIMIT', '0', '1')[2]
  nextTimeout = pulse and floor((pulse - 1e14) / 256) or 0
end

reserving = max(reserving, tonumber(ARGV[8]))

local reply, n = { '', '', '', '', '', '' }, 6
-- Where in the reply it says of a member that it waits. What ZADD and ZREM are told to let in who fits, and by owner,
-- what others are told of that.
local replyAt, added, removed, messages
local i = 10
repeat
  while i <= #ARGV do
${operation}
  end

  -- Those in front are let in as far as they fit.
  mayFit = false
  if queued > 0 and not added then added, removed, messages = {}, {}, {} end
  while queued > 0 and (inflight == 0 or inflight < limit) do
    -- In portions, as Lua has no room for any number of arguments.
    local most = format('%d', max(1, min(limit - inflight, 100)))
    local heads = call('ZRANGEBYSCORE', key, '1e15', '+inf', 'LIMIT', '0', most)
    -- Only where somebody else has taken members out.
    if not heads[1] then
      queued = 0
      break
    end
    local pulses = {}
    for at, head in ipairs(heads) do pulses[at] = 'x' .. sub(head, 2) end
    local scores = call('ZMSCORE', key, unpack(pulses))
    local isFull = false
    for at, head in ipairs(heads) do
      local weight, lease, spare, reserves, id, owner = match(head, '^w(%d+):(%d+):(%d+):(%d):(([^.]*).*)$')
      isFull = inflight > 0 and inflight + weight > limit
      if isFull then break end
      -- A lease after its process was last heard of: it may have died since, in the line.
      local pulsed = scores[at] - 1e14
      local over = floor(pulsed / 256) + ceil(pulsed % 256 / 255 * lease)
      nextEnd = min(nextEnd, over)
      local g, c = #removed, #added
      removed[g + 1], removed[g + 2] = head, pulses[at]
      added[c + 1], added[c + 2] = format('%d', over), 'h' .. weight .. ':' .. reserves .. ':' .. id
      inflight, queued = inflight + weight, queued - 1
      lastToken = max(lastToken + 1, micros)
      local token, told = format('%d', lastToken), replyAt and replyAt[head]
      lastToken = lastToken + spare
      if told then
        reply[told], reply[told + 1] = 'held', token
      else
        local grants = messages[owner]
        if grants then grants[#grants + 1] = id .. '\\n' .. token
        else messages[owner] = { id .. '\\n' .. token } end
      end
    end
    -- Where the line or the set is looked at again, they are to be out of the one and in the other.
    if added[1] and (not isFull and queued > 0 or i <= #ARGV) then
      call('ZADD', key, unpack(added))
      call('ZREM', key, unpack(removed))
      added, removed = {}, {}
    end
    if isFull then break end
  end
until i > #ARGV

local new = struct.pack(layout,
  'm', limit, version, lastToken, inflight, queued, lastPlace, nextTimeout, longest, born, reserving)
if added and added[1] then
  local c = #added
  added[c + 1], added[c + 2], removed[#removed + 1] = '-1', new, old
  call('ZADD', key, unpack(added))
  call('ZREM', key, unpack(removed))
elseif new ~= old then
  call('ZADD', key, '-1', new)
  call('ZREM', key, old)
end
if not expiresAlready then call('PEXPIRE', key, lifetime) end

if queued > 0 then reply[3] = format('%d', nextEnd - now) end
reply[1], reply[2], reply[4] = format('%d', limit), format('%d', version), reclaimed
reply[5], reply[6] = format('%d', inflight), format('%d', queued)
if messages then
  for owner, grants in pairs(messages) do
    local news = table.concat(grants, '\\n')
    if owner == me then reply[n + 1] = news
    else redis.pcall('PUBLISH', channel .. owner, 'grant\\n' .. news) end
  end
end
if recall and reserving == 1 and queued > 0 then
  -- This owner sees from the answer that others wait.
  local told = { [me] = true }
  for _, held in ipairs(call('ZRANGEBYSCORE', key, '0', '(1e14')) do
    local reserves, owner = match(held, '^h%d+:(%d):([^.]*)')
    if reserves == '1' and not told[owner] then
      redis.pcall('PUBLISH', channel .. owner, ARGV[6])
      told[owner] = true
    end
  end
end
return table.concat(reply, '\\n')
`;
