import { ensureDebianProgram } from "./debian-package.ts";
import { testedVersions } from "./versions.ts";

/** Programs that tests run, with their Debian packages, by the names that `prepare.ts` gives them. */
export const debianPrograms = {
  fish: { program: "fish", packageName: "fish" },
  zsh: { program: "zsh", packageName: "zsh" },
  postgres: { program: "pg_ctlcluster", packageName: `postgresql-${testedVersions.postgres}` },
  redis: { program: "redis-server", packageName: "redis-server" },
  rabbitmq: { program: "rabbitmqctl", packageName: "rabbitmq-server" },
  docker: { program: "dockerd", packageName: "docker.io" },
  registry: { program: "docker-registry", packageName: "docker-registry" },
  chromium: { program: "chromium", packageName: "chromium" },
  php: { program: "php", packageName: "php-cli" },
  promtool: { program: "promtool", packageName: "prometheus" },
} as const;

export type DebianProgramName = keyof typeof debianPrograms;

/** Returns the path of the program. Installs its package if necessary, or returns the reason why it cannot. */
export function ensureProgram(name: DebianProgramName): { path: string } | { unavailable: string } {
  const { program, packageName } = debianPrograms[name];
  return ensureDebianProgram(program, packageName);
}
