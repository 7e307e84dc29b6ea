import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { Confirm } from "./confirm.tsx";

interface EndProps {
  readonly label: string;
  /** Of the button, and the question. */
  readonly name: string;
  readonly warning: string;
  readonly onEnd: () => Promise<void>;
}

/** Ends something for good, after a confirmation. */
export function EndButton({ label, name, warning, onEnd }: EndProps) {
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" aria-label={name} onClick={() => setAsks(true)}>
        {label}
      </Button>
      <Confirm opened={asks} title={`${name}?`} action={label} onCancel={() => setAsks(false)} onConfirm={onEnd}>
        <Text>{warning}</Text>
      </Confirm>
    </>
  );
}
