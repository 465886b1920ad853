/** Returns a page with all pictures, one row per scene. */
export function overview(scenes: string[], widths: string[], schemes: string[]): string {
  const row = (scene: string) => {
    const pictures = widths.flatMap((width) => schemes.map((scheme) => `${scene}-${width}-${scheme}.png`))
    const links = pictures.map(
      (file) => `<a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a>`,
    )
    return `<h2 id="${scene}">${scene}</h2><div>${links.join('')}</div>`
  }
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pictures of every page</title>
<style>body{margin:1rem;background:#888;font:1rem/1.5 system-ui}div{display:flex;gap:.5rem;align-items:start}img{height:24rem}h2{font-size:1rem}</style>
${scenes.map(row).join('\n')}</html>
`
}
