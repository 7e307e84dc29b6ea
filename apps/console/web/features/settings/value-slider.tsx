import { Slider } from "@mantine/core";
import { i18n } from "../../i18n.ts";

interface SliderProps {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly value: number;
  readonly isReadOnly: boolean;
  readonly onChange: (value: number) => void;
  readonly onChangeEnd: () => void;
}

/** A number between two others. */
// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports
export default function ValueSlider({ name, isReadOnly, ...props }: SliderProps) {
  return <Slider {...props} disabled={isReadOnly} label={null} thumbLabel={i18n.t("{name}, slider", { name })} />;
}
