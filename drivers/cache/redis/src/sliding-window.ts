import type { Window, WindowResult } from "@appserver/kernel/ports";
import { type ServerScript, serverScript } from "./server-script.ts";

/**
 * Counts one hit against every window: the moments of the newest hits in a list, newest first, by the server's clock in
 * microseconds. A window is full while its `limit`th newest hit is in it, so that refusing needs no counting; what is
 * left is found by halving. ARGV: limit and length in microseconds of each window.
 *
 * The server's clock may be set back. Its hits would then lie in the future and fill their windows for longer than
 * these last: they move to now, which never lets more through.
 */
export const slidingWindow: ServerScript = serverScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local key = KEYS[1]
local function nth(n)
  local moment = redis.call('LINDEX', key, n - 1)
  return moment and tonumber(moment)
end

local newest = nth(1)
if newest and newest > now then
  for index, moment in ipairs(redis.call('LRANGE', key, 0, -1)) do
    redis.call('LSET', key, index - 1, string.format('%.0f', moment - (newest - now)))
  end
end

local refusing, free_in, most, longest = -1, 0, 0, 0
for i = 1, #ARGV, 2 do
  local limit, length = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  most, longest = math.max(most, limit), math.max(longest, length)
  local wait = length
  if limit > 0 then
    local moment = nth(limit)
    wait = moment and moment + length - now or 0
  end
  if wait > free_in then refusing, free_in = (i - 1) / 2, wait end
end
if refusing >= 0 then return {0, refusing, 0, free_in} end

redis.call('LPUSH', key, string.format('%.0f', now))
redis.call('LTRIM', key, 0, most - 1)
redis.call('PEXPIRE', key, math.ceil(longest / 1000))
local stored = redis.call('LLEN', key)

local window, remaining, reset = 0, nil, 0
for i = 1, #ARGV, 2 do
  local limit, length = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  local low, high = 1, math.min(stored, limit)
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if nth(middle) > now - length then low = middle else high = middle - 1 end
  end
  if not remaining or limit - low < remaining then
    window, remaining, reset = (i - 1) / 2, limit - low, nth(low) + length - now
  end
end
return {1, window, remaining, reset}
`);

/** The script's arguments for one hit. */
export function windowArguments(windows: readonly Window[]): string[] {
  const args: string[] = [];
  for (const { limit, windowMs } of windows) args.push(String(limit), String(Math.round(windowMs * 1_000)));
  return args;
}

/** Throws TypeError for what is no reply of the script. */
export function parseWindowResult(reply: unknown): WindowResult {
  if (!Array.isArray(reply)) throw new TypeError("the sliding window's script did not answer with a list");
  const [allowed, window, remaining, resetUs] = reply.map(Number);
  if (allowed === undefined || window === undefined || remaining === undefined || resetUs === undefined) {
    throw new TypeError("the sliding window's script answered with too short a list");
  }
  return { allowed: allowed === 1, window, remaining, resetMs: resetUs / 1_000 };
}
