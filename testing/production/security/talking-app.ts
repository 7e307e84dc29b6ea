import { containerApi, type TestApp, testApp, writeAppFolder } from "@appserver/testing/kit";

/** `POST /say` prints the secrets of the app's deployment. */
const source = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const read = (name) => readFileSync((process.env.APP_IDENTITY_DIR ?? "/run/appserver") + "/" + name, "utf8");

createServer((request, response) => {
  if (request.method === "POST" && request.url === "/say") {
    console.log("password " + process.env.DB_PASSWORD + " secret " + read("forward-secret"));
    console.error(read("key.pem"));
    console.log("all is said");
  }
  response.setHeader("content-type", "application/json");
  response.end('"ok"');
}).listen(Number(process.env.PORT), process.env.HOST);
`;

/** Writes the code of the app. Returns its folder. */
export function talkingApp(): Promise<string> {
  return writeAppFolder(source);
}

/** Returns a manifest for the code of {@link talkingApp}. */
export function talkingManifest(name: string): Promise<TestApp> {
  const route = { methods: ["GET", "POST"], is_public: true };
  const routes = [
    { pattern: "/**", ...route },
    { pattern: "/limited", ...route, rate_limit: { rpm: 1_000 } },
    { pattern: "/closed", methods: ["GET"] },
  ];
  return testApp({
    name,
    web_app: { api: { ...containerApi(name), routes } },
    settings: { definitions: [{ key: "title", data_type: "STRING" }] },
  });
}
