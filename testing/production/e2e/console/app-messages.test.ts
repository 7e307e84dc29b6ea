import { after, before, describe, test } from "node:test";
import { createPeople, createPlatformClient, type People } from "@appserver/sdk";
import {
  approvePermissions,
  type PlatformUnderTest,
  startPlatform,
  testApp,
  uniqueName,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import { purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const name = uniqueName("com.example.cards");

describe("messages of apps in Chromium", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let person: ConsolePage;
  let people: People;
  before(async () => {
    platform = await startPlatform();
    const ui = {
      mode: "ESM_COMPONENT",
      entry_asset_name: "page.js",
      exposed_module: "./Page",
      route_base: `/${name}`,
      navigation: [{ title: "Cards", href: `/${name}` }],
    };
    const required_permissions = [{ scope: "people:notify", resource_type: "platform", reason: "Reminds people." }];
    const fields = { name, display_name: "Cards", required_permissions, web_app: { assets: ["page.js"], ui } };
    const app = await testApp(fields, { "page.js": "export const mount = () => {};" });
    await platform.register(app);
    await approvePermissions(platform, name);
    await platform.client().marketplace.installApp({ name });
    await untilState(platform, name, "RUNNING");
    await untilStatus(platform.httpUrl, `/${name}`, 200);
    people = createPeople(createPlatformClient({ grpcUrl: platform.grpcUrl, app: { name, privateKey: app.keys.privateKey } }));
    for (const card of [7, 8])
      await people.notify(platform.userId("bob"), {
        title: `Card ${card} is due`,
        text: "On <b>Friday</b>",
        path: `/${name}/cards/${card}?tab=log`,
      });
    person = await ConsolePage.launch(platform);
  });
  after(async () => {
    await person?.quit();
    await purgeApp(platform, name);
    await platform?.stop();
  });

  test("the bell and the tile count them, and a message leads to its page and is read", async () => {
    const bell = (label: string) => person.page.getByRole("button", { name: label, exact: true });
    await person.visit("/");
    await person.signIn("Bob Guest");
    await bell("Messages of apps, 2 unread").waitFor();
    await person.page
      .getByRole("link", { name: /^Cards.*2 unread/ })
      .first()
      .waitFor();
    await bell("Messages of apps, 2 unread").click();
    await person.page.getByText("On <b>Friday</b>").first().waitFor();
    await person.lookAt("messages of apps");
    await person.page.getByRole("link", { name: /Card 7 is due/ }).click();
    await person.page.waitForURL(`**/${name}/cards/7?tab=log`);
    await bell("Messages of apps, 1 unread").click();
    await person.page.getByRole("button", { name: "Mark all as read" }).click();
    await bell("Messages of apps").waitFor();
    person.requireQuiet();
  });
});
