import { Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { i18n } from "../i18n.ts";

interface ShownOnceProps {
  /** What is shown, for assistive technology: "Token". */
  readonly label: string;
  readonly text: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that the platform does not show again. */
export function ShownOnce({ label, text, secret, onClose }: ShownOnceProps) {
  return (
    <Stack>
      <Text>{text}</Text>
      <Code block className="wrap" aria-label={label}>
        {secret}
      </Code>
      <Group justify="flex-end">
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? i18n.t("Copied") : i18n.t("Copy")}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>{i18n.t("Done")}</Button>
      </Group>
    </Stack>
  );
}
