export { recordsMigrations, SqlAuditLog, SqlEventHistory } from "@appserver/records";
export { writeAppFolder } from "./app-folder.ts";
export { type AppOnDatabase, appOnDatabase } from "./app-on-database.ts";
export { approvePermissions } from "./approve-permissions.ts";
export { AuthorizedPermissions } from "./authorized-permissions.ts";
export { callBy } from "./call-by.ts";
export { CuttableRelay } from "./cuttable-relay.ts";
export { type EmbeddedAddresses, EmbeddedPlatform } from "./embedded-platform.ts";
export { EventLoopGuard } from "./event-loop-guard.ts";
export { type EventuallyOptions, eventually, until } from "./eventually.ts";
export { FakeClock } from "./fake-clock.ts";
export { dumpTables, findCanary, type SearchedTexts } from "./find-canary.ts";
export { foreignSecrets } from "./foreign-secrets.ts";
export { errorOf, type HttpAnswer, type HttpRequest, jsonOf, send, untilRouted, untilStatus } from "./http.ts";
export { MailServer } from "./mail-server.ts";
export { MapCache } from "./map-cache.ts";
export { MapIdentity } from "./map-identity.ts";
export { nextNotes, notesFolder } from "./next-notes.ts";
export { type NoteIndex, startNoteIndex } from "./note-index.ts";
export { parseModel } from "./parse-model.ts";
export { plainSeal } from "./plain-seal.ts";
export { embeddedConnection, embeddedDatabaseFolder, onDatabase } from "./platform-database.ts";
export {
  askGraphql,
  type GraphqlAnswer,
  type GraphqlError,
  type PlatformUnderTest,
  type PlatformVariant,
  type TestUser,
} from "./platform-under-test.ts";
export { isOneProcess, platformVariant } from "./platform-variant.ts";
export {
  createTestDatabase,
  databaseVariables,
  startOwnPostgres,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "./postgres.ts";
export { freezePostgres, killPostgres } from "./postgres-faults.ts";
export { ProductionPlatform } from "./production-platform.ts";
export { promtoolFindings } from "./promtool.ts";
export { publishApp } from "./publish-app.ts";
export { QueryLoad } from "./query-load.ts";
export { RecordingMetrics } from "./recording-metrics.ts";
export { RecordedSpan, RecordingTracer } from "./recording-tracer.ts";
export { rejectsWith } from "./rejects-with.ts";
export { restartWith } from "./restart-with.ts";
export { type PlatformOptions, RunningPlatform } from "./running-platform.ts";
export { scaled } from "./scaled.ts";
export { SetAuthorization } from "./set-authorization.ts";
export { sqlClients } from "./sql-clients.ts";
export { productionPlatform, startOwnPlatform, startPlatform } from "./start-platform.ts";
export { containerApi, type EchoUpstream, echoUpstream, type SeenRequest, type TestApp, testApp } from "./test-app.ts";
export { testInPython } from "./test-in-python.ts";
export { testPool } from "./test-pool.ts";
export { testUserNames } from "./test-user-names.ts";
export { TraceSink } from "./trace-sink.ts";
export {
  type AttackTarget,
  chunkedEndInsideLength,
  type Mutation,
  requestInsideFirstChunk,
  transferEncodingMutations,
} from "./transfer-encoding-attacks.ts";
export { uniqueName } from "./unique-name.ts";
export { untilState } from "./until-state.ts";
