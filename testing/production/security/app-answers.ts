import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { PlatformUnderTest } from "@appserver/testing/kit";
import { buildSchema, isNonNullType, OperationTypeNode } from "graphql";
import { rootFields, selectionOf } from "../../contract/arbitrary-operation.ts";
import type { KeptAnswers } from "./kept-answers.ts";

const schema = buildSchema(readFileSync(resolve(import.meta.dirname, "../../../contracts/graphql/schema.graphql"), "utf8"));

export type AskedPlatform = Pick<PlatformUnderTest, "httpUrl" | "administrator" | "client" | "graphql">;

/** Asks as the administrator, over every interface, for everything that there is about an app except its log. */
export async function askAboutApp(platform: AskedPlatform, answers: KeptAnswers, name: string): Promise<void> {
  const { marketplace, settings } = platform.client();
  const { app } = await marketplace.getApp({ name });
  const [appId, appName] = [app?.id ?? "", name];
  const values = { name, appName, appID: appId, id: appId, key: "title", assetName: "none", first: 5 };
  for (const query of queriesAbout(values)) {
    const answer = await platform.graphql(query);
    // Such a response contains no data, so it would prove nothing.
    const [refused] = answer.errors?.filter(({ extensions }) => extensions.code === "VALIDATION_ERROR") ?? [];
    if (refused) throw new Error(`${refused.message}: ${query}`);
    answers.keep(answer);
  }
  for (const path of ["settings", "approvals"])
    await answers.http(platform.httpUrl, `/api/v2/apps/${appId}/${path}`, { headers: platform.administrator });
  await answers.grpc(() => marketplace.getApp({ name }));
  await answers.grpc(() => settings.getSettings({ appId }));
}

/** Reads the last lines of an app. */
export async function askForLog(platform: AskedPlatform, answers: KeptAnswers, name: string): Promise<void> {
  answers.keep(await platform.graphql(`{ appLogs(name: "${name}", tail: 1000) { linesLeftOut lines { text container } } }`));
}

/** Every query of the schema whose arguments have a value here, with every field, except the log. */
function queriesAbout(values: Readonly<Record<string, string | number>>): readonly string[] {
  return rootFields(schema, [OperationTypeNode.QUERY]).flatMap(([, { name, type, args }]) => {
    if (name === "appLogs") return [];
    if (args.some((argument) => isNonNullType(argument.type) && values[argument.name] === undefined)) return [];
    const given = args.flatMap((argument) => {
      const value = values[argument.name];
      return value === undefined ? [] : [`${argument.name}: ${JSON.stringify(value)}`];
    });
    return [`{ ${name}${given.length > 0 ? `(${given.join()})` : ""} ${selectionOf(type, 3)} }`];
  });
}
