/**
 * One operation, what every verb does: a part of the script in `lease.lua.ts`, whose locals it shares. It is left before
 * anything is done where those who wait are to be let in first; that can often wait until all operations are done.
 */
export const operation = `
    local verb, holder, waiter, weight, size = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], 4
    local spare, wait, where, fencing
    if verb ~= 'release' and verb ~= 'setLimit' then
      spare, wait, where, fencing, size = ARGV[i + 4], tonumber(ARGV[i + 5]), ARGV[i + 6], ARGV[i + 7], 8
    end
    local fits = queued == 0 and (inflight == 0 or inflight + weight <= limit)
    local joins = verb == 'acquire' and wait > 0 and queued < tonumber(where)
    -- What it is from now on; the token where it is not to be a new one; its place, and whether it is new there.
    local state, token, place, isNew = 'ok'
    if verb == 'acquire' and fits and call('ZADD', key, expires, holder) == 1 then
      inflight, state, ends = inflight + weight, 'held', min(ends, now + term)
    elseif verb == 'release' and call('ZREM', key, holder) == 1 then
      inflight, loose = inflight - weight, true
    elseif loose and queued > 0 and not joins then
      break
    elseif verb ~= 'setLimit' then
      local there = call('ZMSCORE', key, holder, waiter)
      local isHeld, known = there[1], there[2]
      if isHeld and verb ~= 'resize' then
        call('ZADD', key, 'XX', expires, holder)
        state = 'held'
        token = (verb == 'renew' or fencing ~= '') and fencing
      elseif verb == 'acquire' or verb == 'stay' then
        state = 'queued'
        if known then
          place, recall = tonumber(known), true
        elseif joins then
          place, isNew = max(micros, tail + 1), true
        elseif verb == 'stay' then
          place, isNew, loose = tonumber(where), true, true
          -- As a score, what is no place would make it another thing, or could not be counted on.
          if not (place and place >= 1e15 and place < 9e15) then place = max(micros, tail + 1) end
        else
          state = 'full'
        end
      else
        -- Where a weight is not what it was, all have to be looked through.
        local id = match(holder, '^h%d+:%d:(.*)$')
        local function search(from, to, pattern)
          for _, member in ipairs(call('ZRANGEBYSCORE', key, from, to)) do
            local was, found = match(member, pattern)
            if found == id then return member, was end
          end
        end
        local function drop()
          local held, was = search('0', '(1e14', '^h(%d+):%d:(.*)$')
          if not held then return false end
          call('ZREM', key, held)
          inflight, loose = inflight - was, true
          return true
        end
        local function leave(line)
          if not line then return false end
          call('ZREM', key, line, 'x' .. sub(line, 2))
          queued, loose = queued - 1, true
          return true
        end

        local given, admits = tonumber(fencing), false
        token = verb == 'resize' and fencing or given and fencing
        -- Also one of a state that was lost since.
        if verb == 'register' or verb == 'renew' and given and (given < born or given > last) then
          admits = leave(known and waiter) or true
        elseif verb == 'release' then
          local isGone = leave(known and waiter) or drop()
            or leave(search('1e15', '+inf', '^w(%d+):%d+:%d+:%d:(.*)$'))
          state = isGone and 'ok' or 'lost'
        else
          admits, state = drop(), 'lost'
        end
        if admits then
          -- Where it is there already, under two weights, it is counted.
          if call('ZADD', key, expires, holder) == 1 then inflight = inflight + weight end
          state, ends = 'held', min(ends, now + term)
        end
      end
    end

    local extra = ''
    if state == 'held' then
      if token then
        extra, last = token, max(last, (tonumber(token) or 0) + spare)
      else
        last = max(last + 1, micros)
        extra, last = format('%d', last), last + spare
      end
    elseif state == 'queued' then
      extra = format('%d', place)
      local left = min(term, wait)
      local pulse = format('%d', 1e14 + (now + left) * 256 + ceil((term - left) / term * 255))
      soonest = queued > 0 and min(soonest, now + left) or now + left
      if isNew then
        call('ZADD', key, pulse, 'x' .. sub(waiter, 2), extra, waiter)
        queued, tail = queued + 1, max(tail, place)
        recall = recall or queued == 1
      else
        call('ZADD', key, pulse, 'x' .. sub(waiter, 2))
      end
      queuedAt = queuedAt or {}
      queuedAt[waiter] = n + 1
    end
    reply[n + 1], reply[n + 2] = state, extra
    n, i = n + 2, i + size
`;
