import type { Window, WindowResult } from "@appserver/kernel/ports";
import { type ServerScript, serverScript } from "./server-script.ts";

/**
 * Counts hits, each against every window of its key, as if they came one after the other. A sorted set holds the hits of the
 * longest window by time, in microseconds of the server's clock, no two at the same time: hits of one call follow each other by a
 * microsecond. ARGV of each hit: the index of its key, the number of its windows, limit and length in microseconds of each window.
 *
 * The server's clock may be set back. Hits would then be in the future and fill their windows for longer than the windows last.
 * The script moves them to now, which never allows more hits. Hits that many calls have moved ahead by a moment stay.
 */
export const slidingWindow: ServerScript = serverScript(`
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]

local function hit(hits, first, last)
  local now = clock
  local function nth(n)
    return tonumber(redis.call('ZREVRANGE', hits, n - 1, n - 1)[1])
  end
  local function add(moment)
    local text = string.format('%.0f', moment)
    redis.call('ZADD', hits, text, text)
  end

  local longest = 0
  for i = first + 1, last, 2 do longest = math.max(longest, tonumber(ARGV[i])) end

  local newest = nth(1)
  if newest and newest >= now + 10000 then
    local all = redis.call('ZREVRANGE', hits, 0, -1)
    redis.call('DEL', hits)
    for _, moment in ipairs(all) do add(moment - newest + now - 1) end
    redis.call('PEXPIRE', hits, math.ceil(longest / 1000))
  elseif newest and newest >= now then
    now = newest + 1
  end
  redis.call('ZREMRANGEBYSCORE', hits, '-inf', string.format('%.0f', now - longest))

  local counts = {}
  local refusing, free_in = -1, 0
  for i = first, last, 2 do
    local limit, length = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
    local count
    if length == longest then count = redis.call('ZCARD', hits)
    else count = redis.call('ZCOUNT', hits, string.format('(%.0f', now - length), '+inf') end
    counts[i] = count
    if count >= limit then
      local wait = limit > 0 and nth(limit) + length - now or length
      if wait > free_in then refusing, free_in = (i - first) / 2, wait end
    end
  end
  if refusing >= 0 then return 0, refusing, 0, free_in end

  add(now)
  redis.call('PEXPIRE', hits, math.ceil(longest / 1000))
  local window, remaining = first, nil
  for i = first, last, 2 do
    local left = ARGV[i] - counts[i] - 1
    if not remaining or left < remaining then window, remaining = i, left end
  end
  return 1, (window - first) / 2, remaining, nth(counts[window] + 1) + ARGV[window + 1] - now
end

local results = {}
local at = 1
while at <= #ARGV do
  local key, last = KEYS[tonumber(ARGV[at])], at + 1 + 2 * ARGV[at + 1]
  local allowed, window, remaining, reset = hit(key, at + 2, last)
  local n = #results
  results[n + 1], results[n + 2], results[n + 3], results[n + 4] = allowed, window, remaining, reset
  at = last + 1
end
return results
`);

/** One hit, to be counted under a key. */
export interface Hit {
  readonly key: string;
  readonly windows: readonly Window[];
}

/** Returns the keys and arguments of the script for these hits. */
export function slidingWindowCall(hits: readonly Hit[]): {
  readonly keys: readonly string[];
  readonly args: readonly string[];
} {
  const indexes = new Map<string, number>();
  const args: string[] = [];
  for (const { key, windows } of hits) {
    const index = indexes.get(key) ?? indexes.size + 1;
    indexes.set(key, index);
    args.push(String(index), String(windows.length));
    for (const { limit, windowMs } of windows) args.push(String(limit), String(Math.round(windowMs * 1_000)));
  }
  return { keys: [...indexes.keys()], args };
}

const valuesPerHit = 4;

/** Returns the result of each hit. Throws TypeError for a reply that the script cannot have sent. */
export function parseWindowResults(reply: unknown, hits: number): readonly WindowResult[] {
  if (!Array.isArray(reply) || reply.length !== hits * valuesPerHit) {
    throw new TypeError(`the sliding window's script did not return ${valuesPerHit} values for each of ${hits} hits`);
  }
  return Array.from({ length: hits }, (_, hit) => {
    const [allowed, window, remaining, resetUs] = reply.slice(hit * valuesPerHit).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    return { allowed: allowed === 1, window, remaining, resetMs: resetUs / 1_000 };
  });
}
