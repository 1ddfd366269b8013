/**
 * What each verb does: a part of the script in `lease.lua.ts`, whose locals it shares. Each answers a state, and the token or
 * the place that goes with it.
 */
export const verbs = `
local function beat(wait)
  local left = math.min(term, wait)
  return int(1e14 + (now + left) * 256 + math.ceil((term - left) / term * 255))
end

local function join(waiter, wait, place)
  if place == '' then
    local tail = queued > 0 and tonumber(call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]) or 0
    place = int(math.max(micros, tail + 1))
  end
  call('ZADD', key, beat(wait), 'x' .. waiter, place, 'w' .. waiter)
  queued = queued + 1
  recall = recall or queued == 1
  return 'queued', place
end

local function waits(waiter, wait)
  local place = queued > 0 and call('ZSCORE', key, 'w' .. waiter)
  if not place then return end
  call('ZADD', key, beat(wait), 'x' .. waiter)
  recall = true
  return int(tonumber(place))
end

local function extend(holder)
  if call('ZADD', key, 'XX', 'CH', expires, holder) == 1 then return true end
  return call('ZSCORE', key, holder)
end

-- What it says that it has, or a new one where it does not know.
local function own(fencing, spare)
  if fencing == '' then return token(spare) end
  last = math.max(last, fencing + spare)
  return fencing
end

local function admit(holder, weight)
  call('ZADD', key, expires, holder)
  inflight = inflight + weight
end

local function leave(waiter)
  if queued == 0 or call('ZREM', key, 'w' .. waiter, 'x' .. waiter) == 0 then return false end
  queued, loose = queued - 1, true
  return true
end

-- Looks through all, where a weight is not what it was.
local function search(from, to, pattern, id)
  for _, member in ipairs(call('ZRANGEBYSCORE', key, from, to)) do
    local found, weight = match(member, pattern)
    if found == id then return member, weight end
  end
end

local function drop(id)
  local held, weight = search(0, '(1e14', '^h(.*):(%d+):%d$', id)
  if not held then return false end
  call('ZREM', key, held)
  inflight, loose = inflight - weight, true
  return true
end

local act = {}

function act.acquire(id, weight, spare, holder, waiter, wait, room, fencing)
  if queued == 0 and fits(weight) then
    if call('ZADD', key, expires, holder) == 1 then
      inflight = inflight + weight
      return 'held', token(spare)
    end
    return 'held', own(fencing, spare)
  end
  if extend(holder) then return 'held', own(fencing, spare) end
  local place = waits(waiter, wait)
  if place then return 'queued', place end
  if tonumber(wait) <= 0 or queued >= tonumber(room) then return 'full', '' end
  return join(waiter, wait, '')
end

function act.stay(id, weight, spare, holder, waiter, wait, place, fencing)
  if extend(holder) then return 'held', own(fencing, spare) end
  local known = waits(waiter, wait)
  if known then return 'queued', known end
  loose = true
  return join(waiter, wait, place)
end

function act.renew(id, weight, spare, holder, waiter, _, _, fencing)
  if extend(holder) then return 'held', fencing end
  local known = tonumber(fencing)
  local isLost = known and (known < born or known > last)
  if not isLost and not drop(id) then return 'lost', '' end
  admit(holder, weight)
  return 'held', own(fencing, spare)
end

function act.register(id, weight, spare, holder, waiter, _, _, fencing)
  if not extend(holder) then
    leave(waiter)
    admit(holder, weight)
  end
  return 'held', own(fencing, spare)
end

function act.resize(id, weight, spare, holder, waiter, _, _, fencing)
  if not drop(id) then return 'lost', '' end
  admit(holder, weight)
  return 'held', fencing
end

function act.release(id, weight, spare, holder, waiter)
  if call('ZREM', key, holder) == 1 then
    inflight, loose = inflight - weight, true
    return 'ok', ''
  end
  if leave(waiter) or drop(id) then return 'ok', '' end
  local line = queued > 0 and search('1e15', '+inf', '^w(.*):(%d+):%d+:%d+:%d$', id)
  if line and leave(string.sub(line, 2)) then return 'ok', '' end
  return 'lost', ''
end

function act.setLimit() return 'ok', '' end
`;
