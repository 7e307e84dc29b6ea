export { FakeClock } from "./fake-clock.ts";
export { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres } from "./postgres.ts";
