/**
 * What each verb does: the body of the loop over operations in `lease.lua.ts`, whose locals it uses.
 *
 * Permits are granted to waiters once, after all operations, unless an operation's result depends on them. In that case
 * `break` leaves the loop before the operation has done anything, permits are granted, and the operation starts again.
 */
export const operation = `
    local verb, holder, waiter, weight, size = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], 4
    -- lineArg: for an acquire the queueLimit, otherwise the place that it had in the queue.
    local spare, wait, lineArg, fencing
    if verb ~= 'release' and verb ~= 'setLimit' then
      spare, wait, lineArg, fencing, size = ARGV[i + 4], tonumber(ARGV[i + 5]), ARGV[i + 6], ARGV[i + 7], 8
    end
    local fits = queued == 0 and (inflight == 0 or inflight + weight <= limit)
    local joins = verb == 'acquire' and wait > 0 and queued < tonumber(lineArg)
    -- Its new state; its token unless it gets a new one; its place, and whether that is new.
    local state, token, place, joined = 'ok'
    -- Frequent cases first: ZADD and ZREM return whether it existed.
    if verb == 'acquire' and fits and call('ZADD', key, expires, holder) == 1 then
      inflight, state, nextEnd = inflight + weight, 'held', min(nextEnd, now + term)
    elseif verb == 'release' and call('ZREM', key, holder) == 1 then
      inflight, mayFit = inflight - weight, true
    elseif mayFit and queued > 0 and not joins then
      -- If it joins, its answer can still say that it was granted.
      break
    elseif verb ~= 'setLimit' then
      local scores = call('ZMSCORE', key, holder, waiter)
      local isHeld, oldPlace = scores[1], scores[2]
      if isHeld and verb ~= 'resize' then
        call('ZADD', key, 'XX', expires, holder)
        state = 'held'
        -- A former waiter has none yet; the message with it may be lost.
        token = (verb == 'renew' or fencing ~= '') and fencing
      elseif verb == 'acquire' or verb == 'stay' then
        state = 'queued'
        if oldPlace then
          place, recall = tonumber(oldPlace), true
        elseif joins then
          place, joined = max(micros, lastPlace + 1), true
        elseif verb == 'stay' then
          place, joined, mayFit = tonumber(lineArg), true, true
          -- An invalid place would change what the score means.
          if not (place and place >= 1e15 and place < 9e15) then place = max(micros, lastPlace + 1) end
        else
          state = 'full'
        end
      else
        -- Members begin with the weight: if that may have changed, all are searched for the id. Only then, because most
        -- of a long queue that timed out has expired before its releases arrive.
        local id = match(holder, '^h%d+:%d:(.*)$')
        local function search(from, to, pattern)
          if ARGV[9] ~= '1' then return end
          for _, member in ipairs(call('ZRANGEBYSCORE', key, from, to)) do
            local was, found = match(member, pattern)
            if found == id then return member, was end
          end
        end
        local function drop()
          local held, was = search('0', '(1e14', '^h(%d+):%d:(.*)$')
          if not held then return false end
          call('ZREM', key, held)
          inflight, mayFit = inflight - was, true
          return true
        end
        local function leave(line)
          if not line then return false end
          call('ZREM', key, line, 'x' .. sub(line, 2))
          queued, mayFit = queued - 1, true
          return true
        end

        local given, admits = tonumber(fencing), true
        token = verb == 'resize' and fencing or given and fencing
        local isForgotten = verb == 'renew' and given and (given < born or given > lastToken)
        if verb == 'register' or isForgotten then
          leave(oldPlace and waiter)
        elseif verb == 'release' then
          admits = false
          local isGone = leave(oldPlace and waiter) or drop()
            or leave(search('1e15', '+inf', '^w(%d+):%d+:%d+:%d:(.*)$'))
          state = isGone and 'ok' or 'lost'
        else
          admits, state = drop(), 'lost'
        end
        if admits then
          -- If it exists already, with two weights, it was counted.
          if call('ZADD', key, expires, holder) == 1 then inflight = inflight + weight end
          state, nextEnd = 'held', min(nextEnd, now + term)
        end
      end
    end

    local extra = ''
    if state == 'held' then
      if token then
        extra, lastToken = token, max(lastToken, (tonumber(token) or 0) + spare)
      else
        lastToken = max(lastToken + 1, micros)
        extra, lastToken = format('%d', lastToken), lastToken + spare
      end
    elseif state == 'queued' then
      extra = format('%d', place)
      local left = min(term, wait)
      local pulse = format('%d', 1e14 + (now + left) * 256 + ceil((term - left) / term * 255))
      nextTimeout = queued > 0 and min(nextTimeout, now + left) or now + left
      if joined then
        call('ZADD', key, pulse, 'x' .. sub(waiter, 2), extra, waiter)
        queued, lastPlace = queued + 1, max(lastPlace, place)
        recall = recall or queued == 1
      else
        call('ZADD', key, pulse, 'x' .. sub(waiter, 2))
      end
      replyAt = replyAt or {}
      replyAt[waiter] = n + 1
    end
    reply[n + 1], reply[n + 2] = state, extra
    n, i = n + 2, i + size
`;
