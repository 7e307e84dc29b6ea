import { defineSchema, pick, type Schema } from "@appserver/options";
import { devSection, dockerSection, serverSection, telemetrySection } from "@appserver/options/sections";

/** The options that `appserver dev` reads. It listens on 127.0.0.1 and embeds its dependencies. */
export const devSections = {
  server: pick(serverSection, "httpPort", "grpcPort"),
  telemetry: pick(telemetrySection, "logLevel"),
  docker: pick(dockerSection, "socketPath"),
  dev: devSection,
} as const;

export const devSchema: Schema<typeof devSections> = defineSchema({ process: "dev", sections: devSections });
