import { Trans } from "@lingui/react";
import { Code, Stack, Text } from "@mantine/core";
import type { AppDetails } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { Section } from "../../parts/facts.tsx";
import { Time } from "../../parts/time.tsx";

type Crash = NonNullable<NonNullable<AppDetails["deployment"]>["lastCrash"]>;

/** How the app last ended by itself, with the last lines that it printed. */
export function LastCrash({ crash: { at, exitCode, output } }: { readonly crash: Crash }) {
  const { permissions } = useViewer();
  const ended =
    exitCode === null || exitCode === undefined
      ? i18n.t("The app ended by itself")
      : i18n.t("The app ended with exit code {exitCode}", { exitCode });
  return (
    <Section title={i18n.t("Last crash")}>
      <Stack gap="xs">
        <Text size="sm">
          {ended}, <Time at={at} />.
        </Text>
        {output.length > 0 && (
          <Code block className="json" role="region" aria-label={i18n.t("Last lines of the app")} tabIndex={0}>
            {output.join("\n")}
          </Code>
        )}
        {output.length === 0 && (
          <Text size="sm" c="dimmed">
            {permissions.includes("app:logs") ? (
              i18n.t("It printed nothing.")
            ) : (
              <Trans id="You lack <0>app:logs</0>: you cannot see what it printed." components={{ 0: <Code /> }} />
            )}
          </Text>
        )}
      </Stack>
    </Section>
  );
}
