/** HTML whose texts are escaped. */
export type Html = { readonly html: string }

type Part = string | number | Html | undefined | null | false | readonly Part[]

/** Template tag for HTML. Escapes values, except those made by this tag. Omits undefined, null and false. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  return { html: String.raw({ raw: strings }, ...values.map(render)) }
}

/** Returns HTML attributes. `true` is an attribute without a value; undefined and false are omitted. */
export function attributes(values: Record<string, string | number | boolean | undefined>): Html {
  const parts = Object.entries(values).map(([name, value]) =>
    value === undefined || value === false
      ? ''
      : ` ${name}${value === true ? '' : `="${escapeHtml(String(value))}"`}`,
  )
  return { html: parts.join('') }
}

/** Escapes a string for HTML text and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}

function render(part: Part): string {
  if (part === undefined || part === null || part === false) return ''
  if (typeof part === 'object') return 'html' in part ? part.html : part.map(render).join('')
  return escapeHtml(String(part))
}
