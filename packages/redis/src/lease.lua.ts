import { operation } from './operation.lua.ts';

/**
 * All operations on one limit. The limit is a sorted set, whose members have these scores:
 *
 * - one member at -1, the head, with the state of the limit, so that one read of ranks 0 and 1 returns the state and
 *   whether a lease has expired. It is packed as described at `layout` into less than 64 bytes, above which Redis
 *   stores a small set in a larger form;
 * - `h<weight>:<reserves>:<id>` for each holder, at the millisecond at which its lease ends;
 * - `x<waiter>` for each waiter, at its pulse: 1e14, plus 256 times the millisecond from which it is not granted a
 *   permit any more, plus how much later its lease would end, in 255ths of the lease;
 * - `w<waiter>` for each waiter, at its place: the microsecond of its arrival, above 1e15.
 *
 * A waiter is encoded as `<weight>:<lease>:<spare>:<reserves>:<id>`, which is all that a grant needs.
 *
 * ARGV, which `calls.ts` creates: limit, version (empty to declare it now), lease, owner, prefix, the text of a recall,
 * `1` if the call must not fail, `1` if an operation holds permits in reserve, `1` if a stored weight may differ; then
 * for each operation its verb, its members as a holder and as a waiter, and its weight; except for `release` and
 * `setLimit` also spare, wait, queueLimit or place, and fencing token.
 *
 * The answer, which `calls.ts` parses, consists of lines: limit, version, milliseconds until the next lease may end (if
 * there are waiters), number of expired leases, inflight, queued; for each operation its state, and its token or place;
 * then id and token of each permit granted to another waiter of this owner.
 *
 * Scripts are not rolled back, and Redis rejects commands that may use memory only at a script's first write. So a call
 * that must not fail for lack of memory writes something else first, and messages, which may fail, are last. The set is
 * never empty in between, because a cluster may redirect calls for a missing key to another node.
 *
 * Every request waits for this script, and Redis runs one script at a time. By the count of instructions, the costs
 * are: each call of Redis, each closure that is created, each conversion between number and text (least with '%d'), and
 * each score that is read.
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

-- The head: a letter; limit, version, last token, weight held, number of waiters, last place in the queue, a time
-- before which no waiter times out, longest lease, creation time of the set (lower tokens are of a lost state), and
-- whether permits were ever held in reserve.
local layout = '<c1I5I6I7I7I4I7I6I6I7I1'
local mark, limit, version, lastToken, inflight, queued, lastPlace, nextTimeout, longest, born, reserving
-- Whether a waiter may fit now; whether to recall reserves.
local mayFit, recall, reclaimed = false, false, 0

local top = call('ZRANGE', key, '0', '1', 'WITHSCORES')
local old = top[1]
if old then
  if #old == 57 and top[2] == '-1' then
    mark, limit, version, lastToken, inflight, queued, lastPlace, nextTimeout, longest, born, reserving =
      struct.unpack(layout, old)
  end
  if mark ~= 'm' then
    return redis.error_reply('WRONGTYPE the key holds a sorted set of another app')
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
  -- Otherwise, if the script is rejected halfway, what it wrote would have no head and never expire.
  old = struct.pack(layout, 'm', limit, version, lastToken, 0, 0, 0, 0, longest, born, 0)
  -- If the call must not fail, the next write allows all others.
  local write = mustNotFail and redis.pcall or call
  write('ZADD', key, '-1', old)
end
local lifetime = format('%d', 2 * longest)
local expiresAlready = (not top[1] or mustNotFail) and call('PEXPIRE', key, lifetime) == 1

-- No lease ends before that; waiters have higher scores.
local nextEnd = tonumber(top[4] or '1e14')
if nextEnd <= now then
  for _, dead in ipairs(call('ZRANGEBYSCORE', key, '0', now)) do
    -- A script that was rejected halfway wrote this lease uncounted.
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
-- For a waiter, the index of its state in the reply; arguments of ZADD and ZREM for grants; messages to other owners,
-- by owner.
local replyAt, added, removed, messages
local i = 10
repeat
  while i <= #ARGV do
${operation}
  end

  -- Grants permits to the first waiters, as long as they fit.
  mayFit = false
  if queued > 0 and not added then added, removed, messages = {}, {}, {} end
  while queued > 0 and (inflight == 0 or inflight < limit) do
    -- In batches, as Lua limits the number of arguments.
    local most = format('%d', max(1, min(limit - inflight, 100)))
    local heads = call('ZRANGEBYSCORE', key, '1e15', '+inf', 'LIMIT', '0', most)
    -- Only if another program has removed members.
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
      -- One lease after the last renewal: the process may have died since.
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
    -- Before the queue or set is read again, grants must be written.
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
  -- This owner learns from its answer that others wait.
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
