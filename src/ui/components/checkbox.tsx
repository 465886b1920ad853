import { Choice, type ChoiceProps } from './choice.tsx'

export function Checkbox(props: ChoiceProps) {
  return <Choice type="checkbox" {...props} />
}
