// Matches paths with the matchers of many apps, and sends the times of one match, µs: each the mean of a batch, because the clock
// is too coarse for a single one. Receives the patterns of each app, and the requests. For `npm run bench -- routes`.
import { RouteMatcher } from "@appserver/contracts/patterns";

interface Work {
  readonly apps: readonly (readonly [name: string, patterns: readonly string[]])[];
  readonly requests: readonly (readonly [name: string, path: string])[];
}

const batchSize = 1_000;

process.once("message", ({ apps, requests }: Work) => {
  const matchers = new Map(
    apps.map(([name, patterns]) => [name, new RouteMatcher(patterns.map((pattern) => ({ pattern })))] as const),
  );
  const times: number[] = [];
  for (let first = 0; first < requests.length; first += batchSize) {
    const batch = requests.slice(first, first + batchSize);
    const startedAt = performance.now();
    for (const [name, path] of batch)
      if (!matchers.get(name)?.match(path)) throw new Error(`${path} of ${name} matches no route`);
    times.push(((performance.now() - startedAt) * 1_000) / batch.length);
  }
  process.send?.(times, () => process.disconnect());
});
