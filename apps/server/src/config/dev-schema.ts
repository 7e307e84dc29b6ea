import { defineSchema, pick, type Schema } from "@appserver/configuration";
import { devSection, dockerSection, serverSection, telemetrySection } from "@appserver/configuration/sections";

/** The settings that `appserver dev` reads. It listens on 127.0.0.1 and embeds its dependencies. */
export const devSections = {
  server: pick(serverSection, "httpPort", "grpcPort"),
  telemetry: pick(telemetrySection, "logLevel"),
  docker: pick(dockerSection, "socketPath"),
  dev: devSection,
} as const;

export const devSchema: Schema<typeof devSections> = defineSchema({ process: "dev", sections: devSections });
