export { type AnswerCounts, AskingLoad } from "./asking-load.ts";
export { FakeClock } from "./fake-clock.ts";
export { dumpTables, findCanary, type Haystacks } from "./find-canary.ts";
export { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres } from "./postgres.ts";
export { RecordingMetrics } from "./recording-metrics.ts";
export { RecordedSpan, RecordingTracer } from "./recording-tracer.ts";
export { type GraphqlError, type PlatformOptions, RunningPlatform } from "./running-platform.ts";
