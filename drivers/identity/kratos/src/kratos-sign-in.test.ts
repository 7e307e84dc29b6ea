import assert from "node:assert/strict";
import { test } from "node:test";
import { kratosSignIn } from "./kratos-sign-in.ts";

const pages = { signOut: async () => [] };
const back = { path: "/console/apps?state=FAILED", url: "http://10.0.0.1:8080/console/apps?state=FAILED" };

test("the login is a page of the platform, which keeps the path to return to", () => {
  const signIn = kratosSignIn(pages, { browserUrl: undefined, ownUrl: "https://platform.example" });
  const query = "return_to=%2Fconsole%2Fapps%3Fstate%3DFAILED";
  assert.equal(signIn.loginUrl(back, "first"), `/login?${query}`);
  assert.equal(signIn.loginUrl(back, "second"), `/login?${query}&aal=aal2`);
  assert.equal(signIn.accountUrl?.(back), `/login/settings?${query}`);
});

test("with kratos_browser_url, the login is at that address, and returns to the URL of the platform", () => {
  const query = (origin: string): string => `return_to=${encodeURIComponent(`${origin}${back.path}`)}`;
  const browserUrl = "https://id.example/";
  const known = kratosSignIn(pages, { browserUrl, ownUrl: "https://platform.example" });
  const login = "https://id.example/self-service/login/browser";
  assert.equal(known.loginUrl(back, "first"), `${login}?${query("https://platform.example")}`);
  assert.equal(known.loginUrl(back, "second"), `${login}?${query("https://platform.example")}&aal=aal2`);
  const unknown = kratosSignIn(pages, { browserUrl, ownUrl: undefined });
  assert.equal(unknown.accountUrl?.(back), `https://id.example/self-service/settings/browser?${query("http://10.0.0.1:8080")}`);
});
