import { Code, Stack, Text } from "@mantine/core";
import type { AppDetails } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { Section } from "../../parts/facts.tsx";
import { Time } from "../../parts/time.tsx";

type Crash = NonNullable<NonNullable<AppDetails["deployment"]>["lastCrash"]>;

/** How the app last ended by itself, with the last lines that it printed. */
export function LastCrash({ crash: { at, exitCode, output } }: { readonly crash: Crash }) {
  const { permissions } = useViewer();
  const ended =
    exitCode === null || exitCode === undefined ? "The app ended by itself" : `The app ended with exit code ${exitCode}`;
  return (
    <Section title="Last crash">
      <Stack gap="xs">
        <Text size="sm">
          {ended}, <Time at={at} />.
        </Text>
        {output.length > 0 && (
          <Code block className="json" role="region" aria-label="Last lines of the app" tabIndex={0}>
            {output.join("\n")}
          </Code>
        )}
        {output.length === 0 && (
          <Text size="sm" c="dimmed">
            {permissions.includes("app:logs") ? (
              "It printed nothing."
            ) : (
              <>
                You lack <Code>app:logs</Code>: you cannot see what it printed.
              </>
            )}
          </Text>
        )}
      </Stack>
    </Section>
  );
}
