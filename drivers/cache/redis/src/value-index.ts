import { type ServerScript, serverScript } from "./server-script.ts";

/**
 * Redis finds keys by prefix only by a scan of all keys: a second per million, for each revoked permission on each replica. So
 * the keys of values are also in a sorted set, all with the same score and therefore in byte order. It lives as long as the
 * longest-lived value. Members whose values have expired are found by chance: two checks for each stored value keep their
 * number below that of the live ones.
 *
 * KEYS: index, value. ARGV: key in the index, value, lifetime in ms, prefix of the values' names.
 */
export const setValue: ServerScript = serverScript(`
local index, ttl = KEYS[1], tonumber(ARGV[3])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ttl)
redis.call('ZADD', index, 0, ARGV[1])
if redis.call('PTTL', index) < ttl then redis.call('PEXPIRE', index, ttl) end
for _, key in ipairs(redis.call('ZRANDMEMBER', index, 2)) do
  if redis.call('EXISTS', ARGV[4] .. key) == 0 then redis.call('ZREM', index, key) end
end
`);

/**
 * Deletes up to 1,000 values whose keys have the prefix, and returns how many it found. A key in UTF-8 has no byte 255.
 *
 * KEYS: index. ARGV: prefix, prefix of the values' names.
 */
export const deleteValues: ServerScript = serverScript(`
local index, prefix = KEYS[1], ARGV[1]
local keys = redis.call('ZRANGEBYLEX', index, '[' .. prefix, '(' .. prefix .. '\\255', 'LIMIT', 0, 1000)
for _, key in ipairs(keys) do redis.call('UNLINK', ARGV[2] .. key) end
if #keys > 0 then redis.call('ZREM', index, unpack(keys)) end
return #keys
`);
