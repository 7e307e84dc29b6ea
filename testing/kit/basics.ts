// What the suites of driver families need. They are published, so it imports nothing that only this repository has.
export { eventually } from "./eventually.ts";
export { FakeClock } from "./fake-clock.ts";
export { rejectsWith } from "./rejects-with.ts";
