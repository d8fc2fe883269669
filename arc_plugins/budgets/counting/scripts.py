"""Scripts of Redis: one step each, so that nothing comes between a check and its change.

All keys begin with one prefix, whose hash tag keeps them on one node of a cluster:

- `live`: reservations by the millisecond they end by themselves.
- `r:<digest>`: a reservation: its tenant and user (`a`, `b`: digests), what was told (`st`, `sc`),
  what it holds (`ht`, `hc`), whether it is settled (`x`), its lease (`l`), and of the day and the
  month in which it has told last which they are and how much it was (`day`, `day_t`, `day_c`, …).
- `s:<digest>`: a tenant or user: the name, and what its runs hold (`tokens`, `cost`).
- `w:<digest>:<window>`: what it has spent in a day (`2026-11-30`) or month (`2026-11`).
- `subjects`: tenants and users by the millisecond they were last seen.

Numbers are tokens and billionths of the currency. Lua has them as floating-point numbers, so each
stays below 2**53, and totals are only added to by `HINCRBY`, which counts with whole numbers.

ARGV: prefix, milliseconds of a test's clock or blank, lease in milliseconds; then what each script
says.
"""

_BOOKS = """
local prefix, lease = ARGV[1], tonumber(ARGV[3])
local now = tonumber(ARGV[2])
if not now then
    local clock = redis.call('TIME')
    now = clock[1] * 1000 + math.floor(clock[2] / 1000)
end
local DAY_S, KNOWN_S = 86400, 35 * 86400
local live = prefix .. 'live'

-- Redis takes no '-0', which is what the negative of nothing is called.
local function text(number) return number == 0 and '0' or string.format('%.0f', number) end
local function num(value) return tonumber(value or 0) end

-- Year, month and day of a day since 1970, by the calendar's cycle of 400 years, which is counted
-- from the first of March so that a leap day is the last of a year.
local function date_of(days)
    local shifted = days + 719468
    local era = math.floor(shifted / 146097)
    local day_of_era = shifted - era * 146097
    local year_of_era = math.floor((day_of_era - math.floor(day_of_era / 1460)
        + math.floor(day_of_era / 36524) - math.floor(day_of_era / 146096)) / 365)
    local day_of_year = day_of_era - (365 * year_of_era + math.floor(year_of_era / 4)
        - math.floor(year_of_era / 100))
    local shifted_month = math.floor((5 * day_of_year + 2) / 153)
    local day = day_of_year - math.floor((153 * shifted_month + 2) / 5) + 1
    local month = shifted_month < 10 and shifted_month + 3 or shifted_month - 9
    local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
    return year, month, day
end

local year, month, day = date_of(math.floor(now / 1000 / DAY_S))
local windows = {
    day = string.format('%04d-%02d-%02d', year, month, day),
    month = string.format('%04d-%02d', year, month),
}
local kept_s = { day = 3 * DAY_S, month = KNOWN_S }

local function spending(subject, window)
    return prefix .. 'w:' .. subject .. ':' .. windows[window]
end

-- Never below 0: a key may be lost, evicted or deleted, between what was added and its return.
local function add(key, field, number)
    if redis.call('HINCRBY', key, field, text(number)) < 0 then
        redis.call('HSET', key, field, '0')
    end
end

local function add_held(reservation, tokens, cost)
    if tokens == 0 and cost == 0 then return end
    redis.call('HINCRBY', reservation.key, 'ht', text(tokens))
    redis.call('HINCRBY', reservation.key, 'hc', text(cost))
    reservation.tokens, reservation.cost = reservation.tokens + tokens, reservation.cost + cost
    for _, subject in ipairs(reservation.subjects) do
        local key = prefix .. 's:' .. subject
        add(key, 'tokens', tokens)
        add(key, 'cost', cost)
        redis.call('EXPIRE', key, KNOWN_S)
    end
end

local function find(id, subjects)
    local key = prefix .. 'r:' .. id
    local kept = redis.call('HMGET', key, 'a', 'b', 'st', 'sc', 'ht', 'hc', 'x')
    return {
        id = id, key = key,
        subjects = kept[1] and { kept[1], kept[2] } or subjects or {},
        told_tokens = num(kept[3]), told_cost = num(kept[4]),
        tokens = num(kept[5]), cost = num(kept[6]),
        is_settled = kept[7] == '1',
        is_live = redis.call('ZSCORE', live, id) and true or false,
    }
end

local function see(reservation, names)
    for place, subject in ipairs(reservation.subjects) do
        local key = prefix .. 's:' .. subject
        redis.call('HSET', key, 'name', names[place])
        redis.call('EXPIRE', key, KNOWN_S)
        redis.call('ZADD', prefix .. 'subjects', text(now), subject)
    end
    redis.call('EXPIRE', prefix .. 'subjects', KNOWN_S)
end

local function keep(reservation, names)
    if reservation.is_settled then return end
    redis.call('HSET', reservation.key, 'a', reservation.subjects[1], 'b', reservation.subjects[2],
        'l', text(lease))
    redis.call('EXPIRE', reservation.key, KNOWN_S)
    redis.call('ZADD', live, text(now + lease), reservation.id)
    redis.call('EXPIRE', live, KNOWN_S)
    see(reservation, names)
end

-- What was told too high is taken back from the windows in which it was told, and of a reservation
-- that is settled never: a call that comes late tells less.
local function count(reservation, tokens, cost)
    local up_t = math.max(0, tokens - reservation.told_tokens)
    local up_c = math.max(0, cost - reservation.told_cost)
    local down_t, down_c = 0, 0
    if not reservation.is_settled then
        down_t = math.max(0, reservation.told_tokens - tokens)
        down_c = math.max(0, reservation.told_cost - cost)
    end
    if up_t + up_c + down_t + down_c == 0 then return end
    redis.call('HINCRBY', reservation.key, 'st', text(up_t - down_t))
    redis.call('HINCRBY', reservation.key, 'sc', text(up_c - down_c))
    add_held(reservation, -math.min(up_t, reservation.tokens), -math.min(up_c, reservation.cost))
    for window, seconds in pairs(kept_s) do
        local told = redis.call('HMGET', reservation.key, window, window .. '_t', window .. '_c')
        local told_t, told_c = num(told[2]), num(told[3])
        if told[1] ~= windows[window] then told_t, told_c = 0, 0 end
        local more_t = up_t - math.min(down_t, told_t)
        local more_c = up_c - math.min(down_c, told_c)
        redis.call('HSET', reservation.key, window, windows[window],
            window .. '_t', text(told_t + more_t), window .. '_c', text(told_c + more_c))
        for _, subject in ipairs(reservation.subjects) do
            local key = spending(subject, window)
            add(key, 'tokens', more_t)
            add(key, 'cost', more_c)
            redis.call('EXPIRE', key, seconds)
        end
    end
end

-- A reservation that would last longer than its lease was made before the clock went back.
local function sweep()
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', live, '-inf', text(now))) do
        local expired = find(id)
        add_held(expired, -expired.tokens, -expired.cost)
        redis.call('ZREM', live, id)
    end
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', live, '(' .. text(now + lease), '+inf')) do
        local own = num(redis.call('HGET', prefix .. 'r:' .. id, 'l'))
        if tonumber(redis.call('ZSCORE', live, id)) > now + own then
            redis.call('ZADD', live, text(now + own), id)
        end
    end
    local idle = '(' .. text(now - KNOWN_S * 1000)
    redis.call('ZREMRANGEBYSCORE', prefix .. 'subjects', '-inf', idle)
end

-- Of each budget what is spent and held. In ARGV from a place on: whose (1 a tenant's, 2 a user's),
-- window, dimension, allowed.
local function standings(subjects, first)
    local found = {}
    for place = first, #ARGV, 4 do
        local subject, window, dimension = subjects[tonumber(ARGV[place])], ARGV[place + 1],
            ARGV[place + 2]
        local spent = num(redis.call('HGET', spending(subject, window), dimension))
        local held = math.max(0, num(redis.call('HGET', prefix .. 's:' .. subject, dimension)))
        local allowed = tonumber(ARGV[place + 3])
        found[#found + 1] = { dimension = dimension, spent = spent, held = held, allowed = allowed,
            left = math.max(0, allowed - spent - held) }
    end
    return found
end

local function reply(is_granted, reservation, first)
    local told = { is_granted and 1 or 0, text(now), text(reservation.tokens),
        text(reservation.cost) }
    for _, each in ipairs(standings(reservation.subjects, first)) do
        told[#told + 1] = text(each.spent)
        told[#told + 1] = text(each.held)
    end
    return told
end
"""

_RUN = """
sweep()
local reservation = find(ARGV[4], { ARGV[5], ARGV[6] })
local names = { ARGV[7], ARGV[8] }
local tokens, cost = tonumber(ARGV[9]), tonumber(ARGV[10])
"""

RESERVE = f"""{_BOOKS}{_RUN}
if not reservation.is_live and not reservation.is_settled then
    local least = {{ tokens = tonumber(ARGV[11]), cost = tonumber(ARGV[12]) }}
    local granted = {{ tokens = tokens, cost = cost }}
    for _, each in ipairs(standings(reservation.subjects, 13)) do
        local what = each.dimension
        if each.left < least[what] then return reply(false, reservation, 13) end
        granted[what] = math.min(granted[what], each.left)
    end
    add_held(reservation, granted.tokens, granted.cost)
end
keep(reservation, names)
return reply(true, reservation, 13)
"""
"""Then: digests of reservation, tenant and user, two names, amount, least, budgets."""

EXTEND = f"""{_BOOKS}{_RUN}
count(reservation, tokens, cost)
local extra = {{
    tokens = math.max(0, tonumber(ARGV[11]) - reservation.tokens),
    cost = math.max(0, tonumber(ARGV[12]) - reservation.cost),
}}
local fits = true
for _, each in ipairs(standings(reservation.subjects, 13)) do
    fits = fits and extra[each.dimension] <= each.left
end
if fits and not reservation.is_settled then
    add_held(reservation, extra.tokens, extra.cost)
end
keep(reservation, names)
return reply(fits, reservation, 13)
"""
"""Then: digests of reservation, tenant and user, two names, spent, hold, budgets."""

SETTLE = f"""{_BOOKS}{_RUN}
count(reservation, tokens, cost)
add_held(reservation, -reservation.tokens, -reservation.cost)
redis.call('ZREM', live, reservation.id)
redis.call('HSET', reservation.key, 'a', reservation.subjects[1], 'b', reservation.subjects[2],
    'x', '1')
redis.call('EXPIRE', reservation.key, DAY_S)
see(reservation, names)
return 1
"""
"""Then: digests of reservation, tenant and user, two names, spent."""

STATES = f"""{_BOOKS}
sweep()
local subjects, told = cjson.decode(ARGV[4]), {{ text(now) }}
for _, subject in ipairs(subjects) do
    told[#told + 1] = redis.call('HGET', prefix .. 's:' .. subject, 'name') or ''
    local keys = {{ prefix .. 's:' .. subject, spending(subject, 'day'),
        spending(subject, 'month') }}
    for _, key in ipairs(keys) do
        for _, field in ipairs({{ 'tokens', 'cost' }}) do
            told[#told + 1] = text(math.max(0, num(redis.call('HGET', key, field))))
        end
    end
end
return told
"""
"""Then: digests of tenants and users as JSON; replies with each one's name and what it holds, has
spent in the day, and in the month."""
