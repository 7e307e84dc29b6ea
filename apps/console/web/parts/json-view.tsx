import { Button, Code, Group, Text } from "@mantine/core";

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
            The beginning of {text.length.toLocaleString("en")} characters.
          </Text>
          <Button size="xs" variant="default" onClick={() => download(text, fileName)}>
            Download
          </Button>
        </Group>
      )}
    </>
  );
}

function download(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
