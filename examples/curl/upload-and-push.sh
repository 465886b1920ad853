#!/bin/sh
# Uploads FILE with an API key, then sends a push that links to it.
# usage: upload-and-push.sh FILE TITLE
# environment: PIGEONHOLE_URL, PIGEONHOLE_API_KEY (scope uploads:write), PIGEONHOLE_PUSH_TOKEN
set -eu

: "${PIGEONHOLE_URL:?}" "${PIGEONHOLE_API_KEY:?}" "${PIGEONHOLE_PUSH_TOKEN:?}"
file=${1:?usage: upload-and-push.sh FILE TITLE}
title=${2:?usage: upload-and-push.sh FILE TITLE}

post() { # URL TOKEN JSON
  curl -sS --fail-with-body "$1" -H "Authorization: Bearer $2" -H 'Content-Type: application/json' -d "$3"
}
call() { post "$PIGEONHOLE_URL/api/trpc/$1" "$PIGEONHOLE_API_KEY" "$2"; } # PROCEDURE JSON
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }                     # NAME, of the JSON on standard input
escape() { printf %s "$1" | sed 's/[\\"]/\\&/g'; }

case $file in
*.jpg | *.jpeg) type=image/jpeg ;;
*.png) type=image/png ;;
*.gif) type=image/gif ;;
*.webp) type=image/webp ;;
*.pdf) type=application/pdf ;;
*.mp4) type=video/mp4 ;;
*.mov) type=video/quicktime ;;
*) echo "$file: its type is not accepted" >&2 && exit 2 ;;
esac
size=$(($(wc -c <"$file")))
about="\"filename\":\"$(escape "$(basename "$file")")\",\"mimeType\":\"$type\",\"size\":$size"
part_bytes=$((5 * 1024 * 1024))

if [ "$size" -le $((2 * part_bytes)) ]; then
  opened=$(call upload.requestUploadUrl "{$about}")
  file_id=$(echo "$opened" | field fileId)
  curl -sS --fail-with-body -T "$file" -H "Content-Type: $type" "$(echo "$opened" | field uploadUrl)"
  done=$(call upload.confirmUpload "{\"fileId\":\"$file_id\"}")
else
  parts=$(((size + part_bytes - 1) / part_bytes))
  file_id=$(call upload.initiateMultipart "{$about,\"totalParts\":$parts}" | field fileId)
  n=1
  while [ "$n" -le "$parts" ]; do
    part="\"fileId\":\"$file_id\",\"partNumber\":$n"
    url=$(call upload.getPartUrl "{$part}" | field uploadUrl)
    etag=$(dd if="$file" bs=$part_bytes skip=$((n - 1)) count=1 2>/dev/null |
      curl -sS --fail-with-body -X PUT --data-binary @- -H 'Content-Type:' -o /dev/null -D - "$url" |
      tr -d '\r"' | sed -n 's/^[Ee][Tt][Aa][Gg]: *//p')
    call upload.completePart "{$part,\"etag\":\"${etag:?part $n did not arrive}\"}" >/dev/null
    n=$((n + 1))
  done
  done=$(call upload.completeMultipart "{\"fileId\":\"$file_id\"}")
fi
link=$(echo "$done" | field url)
echo "$link"

body=$(escape "$(basename "$file")")
post "$PIGEONHOLE_URL/api/push/send" "$PIGEONHOLE_PUSH_TOKEN" \
  "{\"title\":\"$(escape "$title")\",\"body\":\"$body\",\"link\":\"$link\"}"
