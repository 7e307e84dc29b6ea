import type { Window, WindowResult } from "@appserver/kernel/ports";
import { type ServerScript, serverScript } from "./server-script.ts";

/**
 * Counts one hit against every window. A sorted set holds the hits of the longest window by time, in microseconds of the
 * server's clock, no two at the same time. ARGV: limit and length in microseconds of each window.
 *
 * The server's clock may be set back. Hits would then be in the future and fill their windows for longer than the windows last.
 * The script moves them to now, which never allows more hits.
 */
export const slidingWindow: ServerScript = serverScript(`
local hits = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function nth(n)
  return tonumber(redis.call('ZREVRANGE', hits, n - 1, n - 1)[1])
end
local function add(moment)
  local text = string.format('%.0f', moment)
  redis.call('ZADD', hits, text, text)
end

local longest = 0
for i = 2, #ARGV, 2 do longest = math.max(longest, tonumber(ARGV[i])) end

local newest = nth(1)
if newest and newest >= now then
  local all = redis.call('ZREVRANGE', hits, 0, -1)
  redis.call('DEL', hits)
  for _, moment in ipairs(all) do add(moment - newest + now - 1) end
  redis.call('PEXPIRE', hits, math.ceil(longest / 1000))
end
redis.call('ZREMRANGEBYSCORE', hits, '-inf', string.format('%.0f', now - longest))

local counts = {}
local refusing, free_in = -1, 0
for i = 1, #ARGV, 2 do
  local limit, length = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  local count
  if length == longest then count = redis.call('ZCARD', hits)
  else count = redis.call('ZCOUNT', hits, string.format('(%.0f', now - length), '+inf') end
  counts[i] = count
  if count >= limit then
    local wait = limit > 0 and nth(limit) + length - now or length
    if wait > free_in then refusing, free_in = (i - 1) / 2, wait end
  end
end
if refusing >= 0 then return {0, refusing, 0, free_in} end

add(now)
redis.call('PEXPIRE', hits, math.ceil(longest / 1000))
local window, remaining = 1, nil
for i = 1, #ARGV, 2 do
  local left = ARGV[i] - counts[i] - 1
  if not remaining or left < remaining then window, remaining = i, left end
end
return {1, (window - 1) / 2, remaining, nth(counts[window] + 1) + ARGV[window + 1] - now}
`);

/** Returns the script's arguments for one hit. */
export function windowArguments(windows: readonly Window[]): string[] {
  const args: string[] = [];
  for (const { limit, windowMs } of windows) args.push(String(limit), String(Math.round(windowMs * 1_000)));
  return args;
}

/** Throws TypeError for a reply that the script cannot have sent. */
export function parseWindowResult(reply: unknown): WindowResult {
  if (!Array.isArray(reply)) throw new TypeError("the sliding window's script did not return a list");
  const [allowed, window, remaining, resetUs] = reply.map(Number);
  if (allowed === undefined || window === undefined || remaining === undefined || resetUs === undefined) {
    throw new TypeError("the sliding window's script returned too few values");
  }
  return { allowed: allowed === 1, window, remaining, resetMs: resetUs / 1_000 };
}
