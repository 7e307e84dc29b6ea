// Keeps its core from sleeping until its parent disconnects. It runs only while nothing else wants the core.
const burstMs = 5;

process.on("disconnect", () => process.exit());
process.send?.(0);

function spin(): void {
  const until = performance.now() + burstMs;
  while (performance.now() < until);
  setImmediate(spin);
}

spin();
