import { ALLOWED_MIME_TYPES } from '@pigeonhole/client/limits'
import { supportedMimeTypes } from 'file-type'

/** A type without parameters, in lower case. */
export const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

/** Whole words of a subtype that names HTML, SVG, XML, a script or an executable. */
const FORBIDDEN_WORD =
  /(^|[.+_-])(m?html?|xhtml|svg|xml|xsl|xslt|javascript\d*|ecmascript\d*|jscript|livescript|vbs|vbscript|scriptlet|x-component|php|shellscript|sh|csh|bat|msdos-batch|hta|msdownload|msdos-program|msi|installer|dosexec|executable|pie-executable|portable-executable|sharedlib|elf|mach-binary|mach-o|java-archive|java-vm|java-applet|java-class|android\.package-archive|wasm|ms-shortcut|chrome-extension|xpinstall|mixed-replace)($|[.+_-])/

/** Returns true for HTML, SVG, XML, scripts and executables, which no policy can allow. */
export function isForbiddenType(mimeType: string): boolean {
  return FORBIDDEN_WORD.test(mimeType.slice(mimeType.indexOf('/') + 1))
}

/** Other names of types that file-type detects. */
const ALIASES: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/x-ms-bmp': 'image/bmp',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-aiff': 'audio/aiff',
  'video/avi': 'video/vnd.avi',
  'video/x-msvideo': 'video/vnd.avi',
  'video/x-matroska': 'video/matroska',
  'audio/x-matroska': 'video/matroska',
  'audio/webm': 'video/webm',
  'application/x-gzip': 'application/gzip',
  'application/x-zip-compressed': 'application/zip',
  'application/vnd.rar': 'application/x-rar-compressed',
  'text/rtf': 'application/rtf',
}
const plainName = (mimeType: string) => ALIASES[mimeType] ?? mimeType

/** Types that the leading bytes do not distinguish reliably: each container holds several. */
const CONTAINERS: Record<string, RegExp> = {
  'iso-media':
    /^(video\/(mp4|quicktime|x-m4v|3gpp2?)|audio\/(mp4|x-m4a|3gpp2?)|image\/(heic|heif|avif)(-sequence)?|image\/x-canon-cr3)$/,
  matroska: /^video\/(matroska|webm)$/,
  ogg: /^(audio|video|application)\/ogg(; codecs=opus)?$/,
  asf: /^(audio|video)\/x-ms-asf$|^application\/vnd\.ms-asf$|^video\/x-ms-wmv$|^audio\/x-ms-wma$/,
  zip: /^application\/(zip|epub\+zip|vnd\.openxmlformats-.*|vnd\.oasis\.opendocument\..*|vnd\.ms-(word|excel|powerpoint)\..*|vnd\.apple\.(keynote|numbers|pages))$|^model\/3mf$/,
  cfb: /^application\/(x-cfb|msword|vnd\.ms-(excel|powerpoint|outlook|project)|vnd\.visio)$/,
  tiff: /^image\/(tiff|x-canon-cr2|x-adobe-dng|x-nikon-nef|x-sony-arw)$/,
}
const containerOf = (mimeType: string) =>
  Object.keys(CONTAINERS).find((name) => CONTAINERS[name]!.test(mimeType))

/** Returns true if content detected as `found` can be a file of the declared type. */
export function isSameType(found: string, declared: string): boolean {
  if (isForbiddenType(found)) return false
  if (declared === 'application/octet-stream') return true
  const [a, b] = [plainName(found), plainName(declared)]
  if (a === b) return true
  const container = containerOf(a)
  return container !== undefined && container === containerOf(b)
}

const ALLOWED: ReadonlySet<string> = new Set(ALLOWED_MIME_TYPES)

/**
 * Returns true if the content of files of this type can be recognized. All others are served only as attachments: a
 * browser must not display bytes that nothing has checked.
 */
export function isRecognizable(mimeType: string): boolean {
  if (ALLOWED.has(mimeType)) return true
  const plain = plainName(mimeType)
  return supportedMimeTypes.has(plain as never) || containerOf(plain) !== undefined
}
