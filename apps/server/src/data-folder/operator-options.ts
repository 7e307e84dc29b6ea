import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "@appserver/kernel/files";
import type { ServeConfig } from "../config/serve-config.ts";
import type { UpConfig } from "../config/up-config.ts";
import { DataFolderError, usable } from "./data-folder.ts";
import { SettingsKeyFile } from "./settings-keys.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the file with the options of the platform in a data folder. */
export function operatorFile(dataDir: string): string {
  return join(dataDir, "operator.json");
}

/**
 * Writes the options of the platform in a data folder, by the names of their variables: commands of operators read them. The file contains
 * secrets, as the folder does.
 */
export async function writeOperatorOptions(config: UpConfig, { database }: ServeConfig): Promise<void> {
  const { dataDir } = config.up;
  const given = Object.entries(config.environment).filter(([name]) => name.startsWith("APPSERVER_"));
  const { authorization, broker, cache, identity } = config.drivers;
  const options: Environment = {
    ...Object.fromEntries(given),
    APPSERVER_DATA_DIR: dataDir,
    APPSERVER_DB_HOST: database.host,
    APPSERVER_DB_PORT: String(database.port),
    APPSERVER_DB_USER: database.user,
    APPSERVER_DB_PASSWORD: database.password,
    APPSERVER_DB_NAME: database.name,
    APPSERVER_AUTHORIZATION_DRIVER: authorization.choice,
    APPSERVER_BROKER_DRIVER: broker.choice,
    APPSERVER_CACHE_DRIVER: cache.choice,
    APPSERVER_IDENTITY_DRIVER: identity.choice,
  };
  await usable(dataDir, () => replaceFile(operatorFile(dataDir), `${JSON.stringify(options, undefined, 2)}\n`));
}

/** Returns the environment, completed by the options of the platform in a data folder. Throws {@link DataFolderError}. */
export async function withOperatorOptions(dataDir: string, environment: Environment): Promise<Environment> {
  const file = operatorFile(dataDir);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "no platform has run there" : error.message;
    throw new DataFolderError(`There are no options of a platform in ${file}: ${reason}.`);
  });
  const options = parsed(text, file);
  const keys = await new SettingsKeyFile(dataDir).load();
  const APPSERVER_SETTINGS_ENCRYPTION_KEYS = keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString("hex")}`).join(",");
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  return { ...options, APPSERVER_SETTINGS_ENCRYPTION_KEYS, ...given };
}

function parsed(text: string, file: string): Environment {
  try {
    const options: unknown = JSON.parse(text);
    if (options?.constructor === Object && Object.values(options).every((value) => typeof value === "string"))
      return options as Environment;
  } catch {
    // Reported below.
  }
  throw new DataFolderError(
    `${file} is damaged: expected an object of texts in JSON. The next start of the platform writes it again.`,
  );
}
