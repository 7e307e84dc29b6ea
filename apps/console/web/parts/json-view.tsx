import { Button, Code, Group, Text } from "@mantine/core";
import { i18n, locale } from "../i18n.ts";
import { download } from "./download.ts";

/** Longer values are downloaded, so that the page stays responsive. */
const maxShown = 50_000;

interface JsonViewProps {
  readonly label: string;
  readonly value: unknown;
  /** Name of the file that a long value is downloaded as. */
  readonly fileName: string;
}

/** Shows a JSON value, or the beginning of a long one with a download. */
export function JsonView({ label, value, fileName }: JsonViewProps) {
  const text = JSON.stringify(value, undefined, 2) ?? "null";
  const isLong = text.length > maxShown;
  return (
    <>
      <Code block className="json" role="region" aria-label={label} tabIndex={0}>
        {isLong ? text.slice(0, maxShown) : text}
      </Code>
      {isLong && (
        <Group justify="space-between" mt="xs">
          <Text size="sm" c="dimmed">
            {i18n.t("The beginning of {count} characters.", { count: text.length.toLocaleString(locale) })}
          </Text>
          <Button size="xs" variant="default" onClick={() => download(fileName, "application/json", text)}>
            {i18n.t("Download")}
          </Button>
        </Group>
      )}
    </>
  );
}
