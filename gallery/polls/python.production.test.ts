import { after } from "node:test";
import { createTestDatabase, databaseVariables, startTestPostgres, testInPython } from "@appserver/testing/kit";

const server = await startTestPostgres();
const room = await createTestDatabase(server);
after(async () => {
  await room.stop();
  await server.stop();
});
await testInPython("the tests of polls in Python", import.meta.dirname, databaseVariables(room));
