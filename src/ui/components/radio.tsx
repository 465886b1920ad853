import { Choice, type ChoiceProps } from './choice.tsx'

export function Radio(props: ChoiceProps) {
  return <Choice type="radio" {...props} />
}
