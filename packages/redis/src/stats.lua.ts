/** Reads the state of a limit without changing it, so it can run on a replica. */
export const statsScript = `
local key = KEYS[1]
local function int(n) return string.format('%.0f', n) end
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

local top = redis.call('ZRANGE', key, 0, 0)[1]
if not top then return '0\\n\\n0\\n0\\n0\\n0\\n0' end
if #top ~= 64 or not string.find(top, '^[m-p]') then
  return redis.error_reply('WRONGTYPE the key holds a sorted set of another app')
end
local limit, version = struct.unpack('<I5I6', top, 2)
local inflight = 0
local processes, seen = 0, {}
local function count(owner)
  if not seen[owner] then processes, seen[owner] = processes + 1, true end
end
local held = redis.call('ZRANGEBYSCORE', key, '(' .. int(now), '(1e14')
for _, member in ipairs(held) do
  local weight, owner = string.match(member, '^h(%d+):%d:([^.]*)')
  inflight = inflight + weight
  count(owner)
end

local pulses = redis.call('ZRANGEBYSCORE', key, int(1e14 + (now + 1) * 256), '(9e14')
local queued = #pulses
for _, pulse in ipairs(pulses) do count(string.match(pulse, '^x%d+:%d+:%d+:%d:([^.]*)')) end
local longest = 0
if queued > 0 then
  local head = redis.call('ZRANGEBYSCORE', key, '1e15', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  longest = math.max(0, micros - head[2]) / 1000
end
return table.concat({ int(limit), int(version), inflight, #held, queued, longest, processes }, '\\n')
`;
