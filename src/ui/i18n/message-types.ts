import type { GetICUArgs } from '@schummar/icu-type-parser'
import type { en } from './messages/en.ts'

type English = typeof en

/** Messages of one language, in the ICU message format, with the same keys as the English ones. */
export type Messages = Translation<English>

type Translation<T> = { [K in keyof T]: T[K] extends string ? string : Translation<T[K]> }

/** Key of a message, `group.name`. */
export type MessageKey = PathsOf<English>

type PathsOf<T> = {
  [K in keyof T & string]: T[K] extends string ? K : `${K}.${PathsOf<T[K]>}`
}[keyof T & string]

type TextAt<T, Path> = Path extends `${infer Group}.${infer Rest}`
  ? Group extends keyof T
    ? TextAt<T[Group], Rest>
    : never
  : Path extends keyof T
    ? T[Path]
    : never

type TextOf<K extends MessageKey> = TextAt<English, K> & string

/** Values that a message needs, read from its English text. */
export type MessageValues<K extends MessageKey> = GetICUArgs<
  TextOf<K>,
  { ICUArgument: string | number; ICUNumberArgument: number; ICUDateArgument: Date }
>

/** Tags of a message, such as `name` in `Delete <name>{filename}</name>?`. */
export type MessageTags<K extends MessageKey> = TagsOf<TextOf<K>>

type TagsOf<T extends string> = T extends `${string}</${infer Tag}>${infer Rest}` ? Tag | TagsOf<Rest> : never

/** Keys of messages that need no values. */
export type PlainMessageKey = {
  [K in MessageKey]: keyof MessageValues<K> extends never ? K : never
}[MessageKey]
