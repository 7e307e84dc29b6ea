export { FakeClock } from "./fake-clock.ts";
export { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres } from "./postgres.ts";
export { type GraphqlError, type PlatformOptions, RunningPlatform } from "./running-platform.ts";
