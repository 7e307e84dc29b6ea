import { setTimeout as delay } from "node:timers/promises";
import { cacheSuite } from "../../cache.suite.ts";
import { CachesUnderTest } from "../test/cache-under-test.ts";

cacheSuite("postgres", async () => {
  const caches = await CachesUnderTest.start();
  return { cache: await caches.open(), advance: (ms) => delay(ms), close: () => caches.stop() };
});
