/** Names, values and expectations of everything that is wrong with the configuration, at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
