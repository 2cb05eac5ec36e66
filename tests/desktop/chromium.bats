#!/usr/bin/env bats
# Chromium in a box: the engine of every editor that is an Electron program, and the most demanding of what opens windows.

load ../lib/box.bash
load desktop.bash
setup() {
    windows_setup
    echo '<script>document.title = "six times seven is " + 6 * 7</script>' >"$PROJECT/page.html"
}
teardown() { windows_teardown; }

# opens [OPTION…]: a window whose page has run its program; then it is closed, and Chromium ends.
opens() {
    timeout 60 box run -- chromium --ozone-platform=wayland --no-first-run "$@" "file://$PROJECT/page.html" \
        >"$TEST_HOME/chromium.log" 2>&1 3>&- 4>&- &
    eventually has_window "six times seven is 42" || fail "$(cat "$TEST_HOME/chromium.log")"
    swaymsg '[title="six times seven"] kill'
    wait $!
}

@test "chromium: without its own sandbox, which a box has no namespaces for, as Electron's programs are told" {
    configure '[desktop]\nwayland = "plain"'
    opens --no-sandbox
}

@test "chromium: with its own sandbox in a box that may nest" {
    configure '[desktop]\nwayland = "plain"\n[security]\nnested = true'
    opens
}
