import { Group, Radio } from "@mantine/core";

interface ChoiceProps {
  readonly name: string;
  readonly choices: readonly string[];
  readonly value: string | null;
  readonly isReadOnly: boolean;
  readonly error: string | undefined;
  readonly choose: (value: string) => void;
}

/** One of a few values. */
// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports
export default function ChoiceInput({ name, choices, value, isReadOnly, error, choose }: ChoiceProps) {
  return (
    <Radio.Group aria-label={name} value={value} onChange={choose} error={error}>
      <Group gap="lg" mt={4}>
        {choices.map((choice) => (
          <Radio key={choice} value={choice} label={choice} disabled={isReadOnly} />
        ))}
      </Group>
    </Radio.Group>
  );
}
