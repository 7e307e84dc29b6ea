import { CachesUnderTest } from "./cache-under-test.ts";
const caches = await CachesUnderTest.start();
const [a] = [await caches.open()];
for (const [keys, limit] of [[1, 1_000_000], [64, 1_000_000], [1000, 60], [1, 10]] as const) {
  const n = 6400;
  const t = performance.now();
  let sent = 0;
  await Promise.all(Array.from({ length: 128 }, async () => { while (sent < n) { sent++; await a.slidingWindow(`${keys}:${limit}:${sent % keys}`, [{ limit, windowMs: 60_000 }, { limit: 100_000, windowMs: 1_000 }]); } }));
  const ms = performance.now() - t;
  console.log(keys, limit, `${Math.round(n / ms * 1000)} hits/s, ${(ms / n * 64).toFixed(1)} ms a batch`);
}
const t = performance.now();
for (let i = 0; i < 300; i++) await a.slidingWindow("single", [{ limit: 1_000_000, windowMs: 60_000 }]);
console.log("single", ((performance.now() - t) / 300).toFixed(2), "ms");
const u = performance.now();
for (let i = 0; i < 300; i++) await a.addIfAbsent("m" + i, 60_000);
console.log("mark", ((performance.now() - u) / 300).toFixed(2), "ms");
await caches.stop();
