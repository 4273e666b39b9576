// Standard input, output and error of this process. One that is closed, full or not read never ends a run.
#pragma once

#include <string>
#include <string_view>

namespace everylink {

// To be called before any file is opened, which would otherwise take the place of a closed stream.
void open_closed_streams();

// To standard output; waits for its reader.
void print(std::string_view text);

enum class Stream { output, error };
// Waits only briefly for the reader; then the text is dropped.
void print_briefly(Stream, std::string_view text);
// "everylink-measure: LINE" to standard error; with the name that we were called by, if that is another.
void complain(std::string_view line);
// To be called once, before any other thread is started.
void complain_as(std::string_view program);

// Why standard output could not be written; "": it could. A reader that closed its pipe is no fault.
std::string fault_of_output();

}  // namespace everylink
