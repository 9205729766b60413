-- GCRA over one cell, atomically.
-- KEYS[1]: the cell. ARGV: T, the nanoseconds that refill one unit; b * T, those that refill a whole
-- burst; milliseconds that a cell outlives its use; then, unless Redis' own clock is to be read,
-- the seconds and nanoseconds of the time.
-- Gives 1 when admitted, else 0; and the debt afterwards, the nanoseconds until the burst is whole.
--
-- A cell holds the theoretical arrival time as seconds and nanoseconds, since a Lua number is exact
-- only up to 2^53: 104 days in nanoseconds, which is enough for differences and not for dates.
local interval, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local now_s, now_ns
if ARGV[4] then
  now_s, now_ns = tonumber(ARGV[4]), tonumber(ARGV[5])
else
  local time = redis.call('TIME')
  now_s, now_ns = tonumber(time[1]), tonumber(time[2]) * 1000
end

local debt = 0
local cell = redis.call('GET', KEYS[1])
if cell then
  local s, ns = string.match(cell, '^(%d+) (%d+)$')
  debt = (tonumber(s) - now_s) * 1e9 + tonumber(ns) - now_ns
  -- No debt is larger than a whole burst, unless the clock was set back.
  debt = math.min(math.max(debt, 0), capacity)
end

if debt + interval > capacity then
  return {0, debt}
end
debt = debt + interval
local ns = now_ns + debt
redis.call('SET', KEYS[1],
  string.format('%.0f %.0f', now_s + math.floor(ns / 1e9), ns % 1e9),
  'PX', string.format('%.0f', math.ceil(debt / 1e6) + tonumber(ARGV[3])))
return {1, debt}
