#!/bin/sh
# Signs a user up or in with Kratos, and prints the session token, for the commands of an operator.
#
#   kratos-session.sh sign-up|sign-in EMAIL < PASSWORD-FILE
#
# APPSERVER_HTTP_URL is the address of the platform. Needs curl and jq.
set -eu
usage='usage: kratos-session.sh sign-up|sign-in EMAIL < PASSWORD-FILE'
case ${1:?$usage} in
  sign-up) flow=registration names='{method: "password", traits: {email: $email}, password: $password}' ;;
  sign-in) flow=login names='{method: "password", identifier: $email, password: $password}' ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
email=${2:?$usage}
url=${APPSERVER_HTTP_URL:?the address of the platform, as in https://platform.example.com}/self-service/$flow

id=$(curl -fsS "$url/api" | jq -r .id)
# The password is in no argument, which other users of the machine could read.
answer=$(jq --raw-input --arg email "$email" ". as \$password | $names" |
  curl -sS -H 'content-type: application/json' -d @- "$url?flow=$id")
printf %s "$answer" | jq -er '.session_token // empty' 2> /dev/null && exit
reasons='[(.ui.messages // [])[].text, ((.ui.nodes // [])[].messages // [])[].text, .error.message // empty] | join(" ")'
reason=$(printf %s "$answer" | jq -r "$reasons" 2> /dev/null || printf %s "$answer")
echo "kratos-session.sh: $email: $reason" >&2
exit 1
